#!/usr/bin/python3
"""The arithmetic of the evaluation, on sentences that can be counted by hand."""
import os
import unittest

from scoring import Score, Sentence, align, corpus, distance, words


class ScoringTests(unittest.TestCase):
    line = "{Um,} could you {could you} move it to nine?"

    def test_a_line_has_a_spoken_and_a_meant_form(self):
        sentence = Sentence(self.line)
        self.assertEqual(sentence.spoken, "Um, could you could you move it to nine?")
        self.assertEqual(sentence.meant, "could you move it to nine?")
        self.assertEqual(sentence.meant_words, "could you move it to nine".split())
        self.assertEqual(len(sentence.words), 9)

    def test_braces_that_do_not_match_are_refused(self):
        for line in ("{a", "a}", "{a {b} c}"):
            self.assertRaises(ValueError, Sentence, line)

    def test_words_are_compared_without_case_punctuation_and_digits(self):
        self.assertEqual(words("Don’t — at 9, please!"), ["don't", "at", "nine", "please"])

    def test_the_distance_counts_each_change_once(self):
        for said, heard, expected in (("a b c", "a b c", 0), ("a b c", "a c", 1), ("a b c", "a x c", 1), ("a c", "a b c", 1),
                                      ("", "a b", 2), ("a b", "", 2), ("a b c d", "b c d e", 2)):
            self.assertEqual(distance(said.split(), heard.split()), expected, (said, heard))

    def test_an_alignment_covers_both_sides_in_order(self):
        pairs = align("a b c".split(), "b x c d".split())
        self.assertEqual([i for i, _ in pairs if i is not None], [0, 1, 2])
        self.assertEqual([j for _, j in pairs if j is not None], [0, 1, 2, 3])

    def score(self, text):
        score = Score()
        score.add(Sentence(self.line), text)
        return score

    def test_the_verbatim_text_has_all_disfluencies(self):
        score = self.score("Um, could you could you move it to nine?")
        self.assertEqual((score.disfluency, score.loss, score.verbatim_error_rate), (1, 0, 0))
        self.assertAlmostEqual(score.error_rate, 3 / 6)
        self.assertEqual(score.exact, 0)

    def test_the_meant_text_is_perfect(self):
        score = self.score("Could you move it to 9?")
        self.assertEqual((score.disfluency, score.loss, score.error_rate, score.exact), (0, 0, 0, 1))
        self.assertAlmostEqual(score.verbatim_error_rate, 3 / 9)

    def test_a_filler_alone_is_a_third_of_the_disfluencies(self):
        self.assertAlmostEqual(self.score("um could you move it to nine").disfluency, 1 / 3)

    def test_a_wrong_word_is_lost_and_no_disfluency(self):
        score = self.score("could you prove it to nine")
        self.assertAlmostEqual(score.loss, 1 / 6)
        self.assertEqual(score.disfluency, 0)

    def test_no_text_loses_everything(self):
        score = self.score("")
        self.assertEqual((score.loss, score.error_rate, score.disfluency), (1, 1, 0))

    def test_sums_go_over_words_not_over_sentences(self):
        score = Score()
        score.add(Sentence("a b c"), "a b c")
        score.add(Sentence("d"), "e")
        self.assertAlmostEqual(score.error_rate, 1 / 4)
        self.assertEqual((score.sentences, score.exact), (2, 1))
        self.assertEqual(Score().error_rate, 0)

    def test_the_corpus_can_be_read_and_has_disfluencies(self):
        sentences = corpus(os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus.txt"))
        self.assertGreaterEqual(len(sentences), 16)
        self.assertGreater(sum(len(s.words) - len(s.meant_words) for s in sentences), 20)
        for sentence in sentences:
            self.assertTrue(sentence.meant_words, sentence.spoken)
            self.assertNotRegex(sentence.spoken, r"[{}]")


if __name__ == "__main__":
    unittest.main()
