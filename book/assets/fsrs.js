// When to ask again: FSRS, version 6, with the weights of its authors (github.com/open-spaced-repetition), without steps
// inside a day. A card has a stability, the days after which it is recalled with probability 0.9, and a difficulty from 1 to
// 10. Ratings are 1 (forgotten), 2 (hard), 3 (good) and 4 (easy). tests/book/test_repeat.py compares it with the authors' own.
const fsrs = (() => {
  const W = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ];
  const WANTED = 0.9; // probability of recall at which a card is asked again
  const LONGEST = 36500; // days
  const [FORGOTTEN, HARD, GOOD, EASY] = [1, 2, 3, 4];
  const DECAY = -W[20];
  const FACTOR = 0.9 ** (1 / DECAY) - 1;
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

  // The probability that a card is recalled so many days after it was asked.
  const retrievability = ({ stability }, days) => (1 + (FACTOR * days) / stability) ** DECAY;

  // Whole days until it has fallen to WANTED.
  const interval = ({ stability }) => clamp(Math.round((stability / FACTOR) * (WANTED ** (1 / DECAY) - 1)), 1, LONGEST);

  const firstDifficulty = (rating) => W[4] - Math.exp(W[5] * (rating - 1)) + 1;

  function nextDifficulty(difficulty, rating) {
    const damped = difficulty - (W[6] * (rating - GOOD) * (10 - difficulty)) / 9;
    return W[7] * firstDifficulty(EASY) + (1 - W[7]) * damped;
  }

  function nextStability(card, rating, days) {
    const { stability, difficulty } = card;
    if (days < 1) {
      const growth = Math.exp(W[17] * (rating - GOOD + W[18])) * stability ** -W[19];
      return stability * (rating === FORGOTTEN ? growth : Math.max(growth, 1));
    }
    const missed = 1 - retrievability(card, days);
    if (rating === FORGOTTEN) {
      const long = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(missed * W[14]);
      return Math.min(long, stability / Math.exp(W[17] * W[18]));
    }
    const bonus = { [HARD]: W[15], [GOOD]: 1, [EASY]: W[16] }[rating];
    const growth = Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(missed * W[10]) - 1);
    return stability * (1 + growth * bonus);
  }

  // A card after it was asked, so many whole days after the last time; null stands for a card that never was.
  function review(card, rating, days) {
    const stability = card ? nextStability(card, rating, days) : W[rating - 1];
    const difficulty = card ? nextDifficulty(card.difficulty, rating) : firstDifficulty(rating);
    return { stability: Math.max(stability, 0.001), difficulty: clamp(difficulty, 1, 10) };
  }

  return { interval, retrievability, review };
})();
