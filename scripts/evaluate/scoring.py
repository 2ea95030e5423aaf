"""How well a text says what somebody meant to write: word error rate and what is left of the disfluencies."""
import re

NUMBERS = {str(number): word for number, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve".split())}


class Sentence:
    """A line of the corpus: words as they are spoken, each with whether it is meant to be written."""

    def __init__(self, line):
        if line.count("{") != line.count("}") or re.search(r"\{[^}]*\{", line):
            raise ValueError(f"braces do not match: {line}")
        self.spoken = re.sub(r"\s+", " ", re.sub(r"[{}]", "", line)).strip()
        self.meant = re.sub(r"\s+", " ", re.sub(r"\{[^}]*\}", " ", line)).strip()
        self.words, self.is_meant = [], []
        for number, piece in enumerate(re.split(r"[{}]", line)):
            for word in words(piece):
                self.words.append(word)
                self.is_meant.append(number % 2 == 0)

    @property
    def meant_words(self):
        return [word for word, meant in zip(self.words, self.is_meant) if meant]


def corpus(path):
    with open(path, encoding="utf-8") as file:
        return [Sentence(line.strip()) for line in file if line.strip() and not line.startswith("#")]


def words(text):
    """Small letters without punctuation; small numbers as words."""
    found = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("’", "'"))
    return [NUMBERS.get(word, word) for word in found]


def align(said, heard):
    """The cheapest alignment of two lists of words: pairs (index or None, index or None), in order."""
    rows = [list(range(len(heard) + 1))]
    for i, word in enumerate(said, 1):
        row = [i]
        for j, other in enumerate(heard, 1):
            row.append(min(rows[-1][j - 1] + (word != other), rows[-1][j] + 1, row[-1] + 1))
        rows.append(row)
    pairs = []
    i, j = len(said), len(heard)
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (said[i - 1] != heard[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def distance(said, heard):
    """Words that must be changed, added or removed."""
    return sum(1 for i, j in align(said, heard) if i is None or j is None or said[i] != heard[j])


class Score:
    """Sums over sentences; every figure is a share of words."""

    def __init__(self):
        self.sentences = self.exact = 0
        self.meant_count = self.meant_errors = 0
        self.spoken_count = self.spoken_errors = 0
        self.disfluent_count = self.disfluent_left = 0
        self.lost = 0

    def add(self, sentence, text):
        heard = words(text)
        meant = sentence.meant_words
        errors = distance(meant, heard)
        self.sentences += 1
        self.exact += errors == 0
        self.meant_count += len(meant)
        self.meant_errors += errors
        self.spoken_count += len(sentence.words)
        self.spoken_errors += distance(sentence.words, heard)
        # A repeat that is gone leaves one of the two: count the words, not which of the two stands there.
        self.disfluent_count += len(sentence.words) - len(meant)
        kept = sum(1 for i, j in align(sentence.words, heard) if i is not None and j is not None
                   and sentence.words[i] == heard[j])
        right = sum(1 for i, j in align(meant, heard) if i is not None and j is not None and meant[i] == heard[j])
        self.disfluent_left += max(0, kept - right)
        self.lost += len(meant) - right

    @staticmethod
    def share(part, whole):
        return part / whole if whole else 0.0

    @property
    def error_rate(self):
        """WER against what was meant: disfluencies that are left count as errors."""
        return self.share(self.meant_errors, self.meant_count)

    @property
    def verbatim_error_rate(self):
        """WER against what was spoken."""
        return self.share(self.spoken_errors, self.spoken_count)

    @property
    def disfluency(self):
        """The share of the disfluent words that still stand in the text: 0 is a clean text."""
        return self.share(self.disfluent_left, self.disfluent_count)

    @property
    def loss(self):
        """The share of the meant words that are missing or wrong."""
        return self.share(self.lost, self.meant_count)
