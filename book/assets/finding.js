// Finds sections of the book that have all words that were typed, or else some, for the search page and the dialog: chapters
// that are about them first, then sections that are called so, then those that explain them. What is typed as the glossary
// or the package has it leads there; what is mistyped, to what was meant. The index is a script, so that it works from the
// disk. Of Sphinx's search only its stemmer is used.
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
  const PACKAGE = "dimred_lessons."; // with this begins what leads to a definition
  const OFFERED = /appendices\/api_(methods|tables)/; // whose names may be typed in small letters
  const ALIAS = /^(dl|dimred_lessons)$/; // of the package, where it is imported
  const CODE = /[_.()]|\p{Ll}\p{Lu}/u; // what no word of the language has
  const WORD = /\b(?:one.hot|t.sne)\b|[\p{L}\p{N}]+/giu;
  const OF_A_PAGE = 3;
  const MOST_BEGUN = 20; // words of the book that begin with what was typed
  const SHORT = 4; // letters of a word that may be mistyped
  const LONG = 8; // letters of a word with two mistakes
  const OFTEN = 5; // times that two words follow each other in the book, if they are to replace two that never do
  const AROUND = 110; // letters of an excerpt before and after

  const stemmer = new Stemmer();
  const stemsOf = new Map(); // of the words of the book
  function stem(word) {
    return stemsOf.get(word) ?? stemmer.stemWord(word.replace(/is(e[ds]?|ing|ations?)$/, "iz$1")); // British spelling, too
  }
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  const words = (text) => (plain(text).match(WORD) ?? []).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ""));
  const stems = (text) => words(text).map(stem);

  const times = new Map(); // that the book has a word
  function stemsOfTheBook(text) {
    for (const word of words(text)) {
      if (!stemsOf.has(word)) stemsOf.set(word, stem(word));
      times.set(word, (times.get(word) ?? 0) + 1);
    }
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

  const termOf = (text) => stems(text.replace(/ \(.*\)$/, "")).join(" "); // what is meant stands in parentheses

  const index = window.bookText.map(([address, id, titles, known, strong, text]) => ({
    address, id, titles, text,
    isEntry: id.startsWith(PACKAGE),
    names: id.startsWith(PACKAGE) ? known.split(" ") : [],
    terms: GLOSSARY.test(address) && id.startsWith("term-") ? [titles.at(-1), ...known.split("; ")].map(termOf) : [],
    isChapter: titles.length === 1 && address in window.bookChapters,
    name: stems(titles.at(-1)).join(" "),
    known: stems(known),
    title: stemsOfTheBook(id.startsWith(PACKAGE) ? titles.at(-1) : `${titles.at(-1)} ${known}`),
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
  // not have may be the beginning of one that it has.
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
    const begun = [...stemsOf].filter(([whole]) => whole.startsWith(word)).map(([, found]) => found);
    return [...new Set(begun)].slice(0, MOST_BEGUN).map((phrase) => ({ phrase: [phrase], weight: 0.5 }));
  }

  // What was meant, if words are mistyped: those that the book has not, and pairs that are never together in it although
  // nearly the same two often are.
  function meant(query) {
    const all = words(query);
    const right = all.map((word) => (inBook.has(stem(word)) || begunBy(word).length ? word : near(word)[0] ?? word));
    for (let i = 0; i + 1 < right.length; i++) {
      const pair = right.slice(i, i + 2);
      if (pair.some((word) => EMPTY.has(word) || !inBook.has(stem(word))) || timesTogether(pair)) continue;
      const pairs = [0, 1].flatMap((j) => near(pair[j], 1).map((word) => pair.with(j, word)));
      const best = pairs.map((those) => [timesTogether(those), those]).sort(([one], [other]) => other - one)[0];
      if (best?.[0] >= OFTEN) right.splice(i, 2, ...best[1]);
    }
    return right.some((word, i) => word !== all[i]) ? right.join(" ") : null;
  }

  const timesTogether = (pair) => {
    const phrase = pair.map(stem);
    return index.reduce((sum, { body, title }) => sum + count(phrase, body) + count(phrase, title), 0);
  };

  // Words of the book that differ from one by few mistakes, the likeliest first.
  function near(word, most = word.length < SHORT ? 0 : word.length < LONG ? 1 : 2) {
    return [...stemsOf]
      .filter(([other, found]) => Math.abs(other.length - word.length) <= most && found !== stem(word))
      .map(([other]) => [other, mistakes(word, other)])
      .filter(([other, number]) => number <= most && other.length >= SHORT)
      .sort(([one, few], [other, many]) => few - many || times.get(other) - times.get(one))
      .map(([other]) => other);
  }

  // How many letters more, less or changed, or neighbors that swap places, make one word the other.
  function mistakes(one, other) {
    const rows = [Array.from({ length: other.length + 1 }, (_, j) => j)];
    for (let i = 1; i <= one.length; i++) {
      rows.push([i]);
      for (let j = 1; j <= other.length; j++) {
        const changed = rows[i - 1][j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
        const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
        const swapped = isSwap ? rows[i - 2][j - 2] + 1 : Infinity;
        rows[i].push(Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed, swapped));
      }
    }
    return rows[one.length][other.length];
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
      const isCalled = section.name === whole.join(" ") && !section.isEntry;
      const isNamed = isCalled || (isAbout && section.known.includes(whole.join(" ")));
      const group = isAbout ? 0 : isNamed && section.weight === 1 ? 1 : isNamed || !SOURCE.test(section.address) ? 2 : 3;
      const score = section.weight * (words + together + (isNamed ? 20 : 0));
      found.push({ section, group, isNamed, score: group === 1 ? 0 : score }); // sections of one name in the order of the book
    });
    found.sort((one, other) => one.group - other.group || other.score - one.score);
    const rest = found.map(({ section }) => section);
    const terms = index.filter((section) => section.terms.includes(whole.join(" ")));
    const [first] = found;
    const leads = first && (first.group === 0 ? first.isNamed : first.group === 1 && !terms.length && !CODE.test(query));
    return limited([...(leads ? rest.slice(0, 1) : terms), ...entries(query), ...terms, ...rest]);
  }

  // What the package has of exactly this name: definitions, methods, and, of names that are no words of the language,
  // parameters and attributes.
  function entries(query) {
    const [name, owner] = query.replace(/\(\)$/, "").split(".").reverse();
    const isSaid = (one, section) => one === name || (OFFERED.test(section.address) && one.toLowerCase() === name.toLowerCase());
    return index.filter(({ isEntry }) => isEntry).flatMap((section) => {
      const called = section.titles.at(-1).replace("()", "");
      const isHere = !owner || ALIAS.test(owner) || section.id.endsWith(`.${owner}.${called}`);
      if (isHere && isSaid(called, section)) return [section];
      if (owner && owner.toLowerCase() !== called.toLowerCase()) return [];
      return section.names.flatMap((member) => {
        const plain = member.replace(/^\.|\(\)$/g, "");
        if (!isSaid(plain, section) || !(member.endsWith("()") || CODE.test(query))) return [];
        const id = member[0] === "." ? `${section.id}.${plain}` : section.id;
        return [{ ...section, id, titles: section.titles.with(-1, `${called}.${member.replace(/^\./, "")}`) }];
      });
    });
  }

  // No section twice, and few of a page.
  function limited(sections) {
    const seen = new Map(); // places by page
    return sections.filter(({ address, id }) => {
      const places = seen.get(address) ?? new Set();
      if (places.has(id) || places.size === OF_A_PAGE) return false;
      seen.set(address, places.add(id));
      return true;
    });
  }

  // The sections that were found, best first, whether they have every word, and for which words, if others were typed.
  function find(query) {
    const better = meant(query);
    const all = ranked(better ?? query, true);
    const found = all.length ? { sections: all, every: true } : { sections: ranked(better ?? query, false), every: false };
    return { ...found, query: better ?? query, isCorrected: better !== null };
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

  // Text around the first words that were meant, which are marked, phrases as a whole; of a chapter the question with which it begins.
  function excerpt({ text: whole, code, isChapter }, asked) {
    const text = isChapter ? whole.split(/(?<=\?)/, 1)[0] : whole;
    const all = [...text.matchAll(WORD)].map((one) => ({ from: one.index, to: one.index + one[0].length, stem: stems(one[0])[0] }));
    const parts = all.flatMap(({ from }, i) => {
      const said = asked.flat().find(({ phrase }) => phrase.every((one, j) => all[i + j]?.stem === one));
      return said ? [{ from, to: all[i + said.phrase.length - 1].to }] : [];
    });
    const first = parts[0]?.from ?? 0;
    const start = code || first < AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1;
    const far = first + 2 * AROUND;
    const end = code || far >= text.length ? text.length : text.lastIndexOf(" ", far);
    const shown = element(code ? "pre" : "p", "excerpt", start ? "… " : "");
    let at = start;
    for (const { from, to } of parts) {
      if (from < at || to > end) continue;
      shown.append(text.slice(at, from), element("mark", "", text.slice(from, to)));
      at = to;
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

  // How many sections were found, and for which words, if not for those that were typed.
  function counted({ sections, every, query, isCorrected }) {
    const number = sections.length === 1 ? "1 section" : `${sections.length || "No"} sections`;
    const some = every || !sections.length ? number : `No section has all of these words. ${number} with some`;
    return isCorrected ? `Shown for: ${query}. ${some}` : some;
  }

  return { counted, element, excerpt, find, findCode, linkTo, wishes };
})();
