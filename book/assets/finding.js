// Finds sections of the book that have all words that were typed, or else some, for the search page and the dialog: chapters
// that are about them first, then sections that are called so, then those that explain them. The index is a script, so that
// it works from the disk. Of Sphinx's search only its stemmer is used.
window.bookFinder = (() => {
  // Words for one thing: what is typed, and what the book says.
  const ALSO = {
    copy: ["duplicate"],
    duplicate: ["copy", "copies"],
    feature: ["column"],
    impute: ["fill", "missing"],
    imputation: ["fill", "missing"],
    missing: ["hole"],
    nan: ["missing"],
    normalize: ["standardize"],
    outlier: ["stranger", "distant point"],
    variable: ["column"],
    visualize: ["map", "picture"],
  };
  const EMPTY = new Set(("a about an and any are as at be because been being but by can could did do does doing don for from get had has have " +
    "having how i if in into is it its me my no nor not of on or our should so some t than that the their them then there these they this those to " +
    "use using versus vs was we were what when where which who whose why will with would you your value values data").split(" "));
  // Sections that ask, list or quote rather than explain, and pages of reference.
  const ASIDE = /^(Exercises|Quiz|Further reading|What comes next|Equations, sources and code|The tutorials, corrected|Scoreboard|Summary)$/;
  const REFERENCE = /book\/notation|appendices\/(api_|source_map|corrections|bibliography|assignments|teaching)/;
  const SOURCE = /appendices\/(api_|source_map)/; // after all others, unless it is named as it is called
  const GLOSSARY = /glossary\.html$/;
  const WORD = /\b(?:one.hot|t.sne)\b|[\p{L}\p{N}]+/giu;
  const OF_A_PAGE = 3;
  const MOST_BEGUN = 20; // words of the book that begin with what was typed
  const SHORT = 5; // letters of a word that may be written nearly right
  const AROUND = 110; // letters of an excerpt before and after

  const stemmer = new Stemmer();
  const stemsOf = new Map(); // of the words of the book
  function stem(word) {
    return stemsOf.get(word) ?? stemmer.stemWord(word.replace(/is(e[ds]?|ing|ations?)$/, "iz$1")); // British spelling, too
  }
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  const words = (text) => (plain(text).match(WORD) ?? []).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ""));
  const stems = (text) => words(text).map(stem);

  function stemsOfTheBook(text) {
    for (const word of words(text)) if (!stemsOf.has(word)) stemsOf.set(word, stem(word));
    return stems(text);
  }

  // How often the stems of a phrase follow each other in those of a text.
  function count(phrase, text) {
    let found = 0;
    for (let i = text.indexOf(phrase[0]); i >= 0; i = text.indexOf(phrase[0], i + 1)) {
      if (phrase.every((one, j) => text[i + j] === one)) found++;
    }
    return found;
  }

  const index = window.bookText.map(([address, id, titles, known, strong, text]) => ({
    address, id, titles, text,
    isChapter: titles.length === 1 && address in window.bookChapters,
    name: stems(titles.at(-1)).join(" "),
    known: stems(known),
    title: stemsOfTheBook(`${titles.at(-1)} ${known}`),
    above: stems(titles.slice(0, -1).join(" ")),
    strong: stems(strong),
    body: stemsOfTheBook(text),
    weight: titles.some((title) => ASIDE.test(title)) ? 0.3 : REFERENCE.test(address) ? 0.4 : GLOSSARY.test(address) ? 0.6 : 1,
  }));

  function typed(query, all = words(query)) {
    const kept = all.filter((word) => !EMPTY.has(word));
    return kept.length ? kept : all;
  }

  // Each word that was typed with those that say the same: phrases of stems, with their weight. A word that the book does
  // not have may be the beginning of one that it has, or nearly one.
  const inBook = new Set(stemsOf.values());

  function wishes(query) {
    const other = Object.entries(ALSO).map(([word, also]) => [stem(word), also]);
    return typed(query).map((word) => [
      { phrase: [stem(word)], weight: 1 },
      ...other.filter(([known]) => known === stem(word)).flatMap(([, also]) => also)
        .map((phrase) => ({ phrase: stems(phrase), weight: 0.3 })),
      ...(inBook.has(stem(word)) ? [] : begunBy(word)),
    ]);
  }

  function begunBy(word) {
    const those = (fits) => [...stemsOf].filter(([whole]) => fits(whole)).map(([, found]) => found);
    const begun = those((whole) => whole.startsWith(word));
    const found = begun.length || word.length < SHORT ? begun : those((whole) => isNearly(whole, word));
    return [...new Set(found)].slice(0, MOST_BEGUN).map((phrase) => ({ phrase: [phrase], weight: 0.5 }));
  }

  // Whether a letter more, less or changed makes one word the other, or two that swap places.
  function isNearly(one, other) {
    let i = 0;
    while (i < one.length && one[i] === other[i]) i += 1;
    const rest = (of, more) => of.slice(i + more);
    const swapped = one[i] === other[i + 1] && one[i + 1] === other[i] && rest(one, 2) === rest(other, 2);
    return swapped || [[0, 1], [1, 0], [1, 1]].some(([of, more]) => rest(one, of) === rest(other, more));
  }

  const often = (n) => n / (n + 2);

  function score(section, wish) {
    let best = 0;
    for (const { phrase, weight } of wish) {
      const inside =
        6 * Math.min(count(phrase, section.title), 1) + 2 * Math.min(count(phrase, section.above), 1) +
        2 * often(count(phrase, section.strong)) + 5 * often(count(phrase, section.body)) +
        (count(phrase, section.body.slice(0, 60)) ? 1 : 0);
      best = Math.max(best, weight * inside);
    }
    return best;
  }

  function ranked(query, every) {
    const asked = wishes(query);
    const scores = asked.map((wish) => index.map((section) => score(section, wish)));
    const rare = scores.map((of) => Math.log(1 + index.length / (1 + of.filter(Boolean).length)));
    const whole = stems(query);
    const found = [];
    index.forEach((section, i) => {
      if (!(every ? scores.every((of) => of[i]) : scores.some((of) => of[i]))) return;
      const together = whole.length > 1 ? 3 * often(count(whole, section.body) + 2 * count(whole, section.title)) : 0;
      const words = scores.reduce((sum, of, j) => sum + rare[j] * of[i], 0);
      const isAbout = section.isChapter && asked.every(([{ phrase }]) => count(phrase, section.title));
      const isNamed = section.name === whole.join(" ") || (isAbout && section.known.includes(whole.join(" ")));
      const group = isAbout ? 0 : isNamed && section.weight === 1 ? 1 : isNamed || !SOURCE.test(section.address) ? 2 : 3;
      const score = section.weight * (words + together + (isNamed ? 20 : 0));
      found.push({ section, group, score: group === 1 ? 0 : score }); // sections of one name in the order of the book
    });
    found.sort((one, other) => one.group - other.group || other.score - one.score);
    const seen = new Map();
    return found.map(({ section }) => section).filter(({ address }) => {
      seen.set(address, (seen.get(address) ?? 0) + 1);
      return seen.get(address) <= OF_A_PAGE;
    });
  }

  // The sections that were found, best first, and whether they have every word.
  function find(query) {
    const all = ranked(query, true);
    return all.length ? { sections: all, every: true } : { sections: ranked(query, false), every: false };
  }

  function findCode(query) {
    const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
    return index.flatMap((section, i) => {
      const lines = window.bookCode[i].split("\n").filter((line) => asked.every((word) => line.toLowerCase().includes(word)));
      return lines.length ? [{ ...section, text: lines.slice(0, 3).join("\n"), code: true }] : [];
    });
  }

  // An element with text and children.
  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  // Text around the first words that were meant, which are marked; of a chapter the question with which it begins.
  function excerpt({ text: whole, code, isChapter }, asked) {
    const text = isChapter ? whole.split(/(?<=\?)/, 1)[0] : whole;
    const meant = new Set(asked.flat().flatMap(({ phrase }) => phrase));
    const parts = [...text.matchAll(WORD)].filter((one) => meant.has(stem(words(one[0])[0] ?? "")));
    const first = parts[0]?.index ?? 0;
    const start = code || first < AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1;
    const far = first + 2 * AROUND;
    const end = code || far >= text.length ? text.length : text.lastIndexOf(" ", far);
    const shown = element(code ? "pre" : "p", "excerpt", start ? "… " : "");
    let at = start;
    for (const part of parts) {
      if (part.index < at || part.index + part[0].length > end) continue;
      shown.append(text.slice(at, part.index), element("mark", "", part[0]));
      at = part.index + part[0].length;
    }
    shown.append(text.slice(at, end), end < text.length ? " …" : "");
    return shown;
  }

  const root = document.documentElement.dataset.content_root ?? "./";

  // The link to a section, where the words that it has are marked, and its place in the book.
  function linkTo(section, query) {
    const marked = typed(query, query.toLowerCase().match(WORD) ?? []).filter((word) => section.text.toLowerCase().includes(word));
    const link = element("a", "", section.titles.at(-1));
    const search = marked.length && !section.code ? `?highlight=${encodeURIComponent(marked.join(" "))}` : "";
    link.href = `${root}${section.address}${search}#${section.id}`;
    const number = window.bookChapters[section.address];
    const above = section.titles.slice(0, -1).join(" › ");
    const place = section.isChapter ? `Chapter ${number}` : above && number ? `${number}. ${above}` : above;
    return place ? [link, element("p", "place", place)] : [link];
  }

  // How many sections were found.
  function counted({ sections, every }) {
    const number = sections.length === 1 ? "1 section" : `${sections.length || "No"} sections`;
    return every || !sections.length ? number : `No section has all of these words. ${number} with some`;
  }

  return { counted, element, excerpt, find, findCode, linkTo, wishes };
})();
