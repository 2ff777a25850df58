// Exercises that are answered on the page. What is right, and what is said against the rest, comes from the checks of the
// package (dimred_lessons/classroom/exercises/values.py) as data; here it is read and computed, as Python does it there.
const answers = (() => {
  const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i;
  const NAMES = { e: Math.E, pi: Math.PI, "π": Math.PI, inf: Infinity, infinity: Infinity, "∞": Infinity, nan: NaN };
  const FUNCTIONS = {
    sqrt: Math.sqrt, "√": Math.sqrt, exp: Math.exp, log: Math.log, ln: Math.log, abs: Math.abs,
    sin: Math.sin, cos: Math.cos, tan: Math.tan, log2: Math.log2, log10: Math.log10,
  };
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";

  // --- What a reader writes

  // One number: digits, signs, fractions, powers, brackets, roots. Null if it is something else.
  function calculate(text) {
    let rest = text.replace(/\s+/g, "");
    const take = (pattern) => {
      const found = rest.match(pattern);
      if (found) rest = rest.slice(found[0].length);
      return found?.[0];
    };
    const sum = () => {
      let value = product();
      for (let sign; (sign = take(/^[+-]/)); ) value = sign === "+" ? value + product() : value - product();
      return value;
    };
    const product = () => {
      let value = signed();
      for (;;) {
        if (take(/^\*(?!\*)/)) value *= signed();
        else if (take(/^\//)) value /= signed();
        else if (/^[(a-zπ√]/i.test(rest)) value *= power(); // 2π, 3(1 + 2)
        else return value;
      }
    };
    const signed = () => {
      const sign = take(/^[+-]/);
      if (!sign) return power();
      return sign === "-" ? -signed() : signed();
    };
    const power = () => {
      let base = atom();
      if (take(/^%/)) base /= 100;
      return take(/^(\^|\*\*)/) ? base ** signed() : base;
    };
    const atom = () => {
      const digits = take(NUMBER);
      if (digits !== undefined) return Number(digits);
      if (take(/^\(/)) {
        const value = sum();
        if (!take(/^\)/)) throw new SyntaxError(text);
        return value;
      }
      const name = take(/^(log(2|10)(?=\()|[a-z]+|[π√∞])/i)?.toLowerCase();
      if (Object.hasOwn(FUNCTIONS, name ?? "")) return FUNCTIONS[name](atom());
      if (Object.hasOwn(NAMES, name ?? "")) return NAMES[name];
      throw new SyntaxError(text);
    };
    try {
      const value = sum();
      return rest ? null : value;
    } catch {
      return null;
    }
  }

  // What is written as in LaTeX, written as here.
  function withoutLatex(text) {
    return text
      .replace(/\\begin\s*\{\w+\}/g, "[")
      .replace(/\\end\s*\{\w+\}/g, "]")
      .replace(/\\\\/g, ";")
      .replace(/(?<!\\)&/g, ", ")
      .replace(/\^\s*\{([^{}]*)\}/g, "^($1)")
      .replace(/\\sqrt\s*\{([^{}]*)\}/g, "sqrt($1)")
      .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "(($1)/($2))")
      .replace(/\\[dt]?frac\s*(\d)\s*(\d)/g, "($1/$2)")
      .replace(/\\(cdot|times)/g, "*")
      .replace(/\\approx/g, "=")
      .replace(/\\([()[\]{},;:!$ ]|left|right|(?=[a-z%]))/gi, "");
  }

  // Signs as a keyboard has them; space only where it separates numbers.
  function plain(text) {
    return withoutLatex(text.normalize("NFC"))
      .replace(/(\d+)([¼-¾⅐-⅞])/g, (_, whole, sign) => `(${whole}+${sign.normalize("NFKC")})`)
      .replace(/[¼-¾⅐-⅞]/g, (sign) => `(${sign.normalize("NFKC")})`)
      .replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (signs) => `^(${signs.replace(/./g, (sign) => "0123456789-"[RAISED.indexOf(sign)])})`)
      .replace(/(?<=(?:sin|cos|tan)\s*\(?\s*)([\d.,]+)\s*[°º]/gi, "($1*π/180)")
      .replace(/[°º]/g, "")
      .normalize("NFKC")
      .replace(/[−–—]/g, "-")
      .replace(/[×·⋅]/g, "*")
      .replace(/(?<=\d) ?x ?(?=10 ?\^)/gi, "*") // 1.5 x 10^3
      .replace(/[÷∕⁄∶]/g, "/")
      .replace(/(?<=\d)\.\.\./g, "")
      .replace(/\s*per ?cent\b/gi, "%")
      .replace(/\$|(np|numpy|math)\.|array/gi, "")
      .replace(/(?<=\p{L}\w*) ?:|[≈≃≅~]/gu, "=") // noise: 0.5
      .replace(/(?<=\d)['’_](?=\d{3})/g, "")
      .replace(/\s+/g, " ")
      .replace(/(?<=[\])])(\^?\(?(T|top)\)?|['’⊤])$/, "") // transposed
      .replace(/ ?([*/^=]) ?/g, "$1")
      .replace(/ ([+-]) /g, "$1")
      .replace(/(^|[=,;([{] ?)([+-]) /g, "$1$2")
      .replace(/(sqrt|√|exp|log|ln|abs|sin|cos|tan) (?=[\d(])/gi, "$1")
      .replace(/ %/g, "%")
      .replace(/([([{]) /g, "$1")
      .replace(/ ([)\]}])/g, "$1")
      .trim()
      .replace(/ ?[,;]$/, "");
  }

  // A list without its brackets; round ones are those of a list if they hold a comma, or all of several numbers.
  function unbracketed(text) {
    const list = text.replace(/[[\]{}]/g, " ").replace(/\(([^()]*[,;][^()]*)\)/g, " $1 ").trim();
    return / /.test(list) ? list.replace(/^\(([^()]*)\)$/, "$1").replace(/ +/g, " ") : list;
  }

  // 1,234 and 12,345,678 are whole numbers with commas at the thousands; in 0,5 and 2,25 the comma is decimal.
  function pointed(text) {
    return text
      .replace(/(?<![\d.,])[1-9]\d{0,2}((\.\d{3})+(?=,\d+$)|(\.\d{3}){2,}$)/, (digits) => digits.replaceAll(".", "")) // 1.234,5
      .replace(/(?<![\d.,])[1-9]\d{0,2}(,\d{3})+(?![\d,])/g, (digits) => digits.replaceAll(",", ""))
      .replace(/(\d),(?=\d)/g, "$1.");
  }

  // One number as it is computed: what follows its name, with no space within. Null if there are several.
  function alone(text) {
    const number = text
      .replace(/^[^<>≤≥≠!]*=/, "")
      .replace(/^([+-]?)(\d+) \(?(\d+\/\d+)\)?$/, "$1($2+$3)") // 1 1/2
      .replace(/^[+-]?\d{1,3}( \d{3})+([.,]\d+)?$/, (digits) => digits.replaceAll(" ", "")); // 21 449
    return /, | ,|[\d)] [-+\d(.]/.test(number) ? null : pointed(number);
  }

  // The pieces of a text that should be so many numbers. A comma separates if space follows, or if this makes them as many.
  function split(text, count) {
    const list = unbracketed(plain(text));
    for (const mark of [/ ?; ?/, / ?, | ,/]) {
      const numbers = list.split(mark).filter(Boolean).map(alone);
      if (numbers.length === count && !numbers.includes(null)) return numbers;
    }
    const words = list.replaceAll(";", " ");
    const at = (pattern) => words.split(pattern).filter(Boolean);
    const spaced = at(/ ?, | ,|,$| /).map(alone);
    if (spaced.length === count) return spaced;
    const pieces = at(/[, ]+/);
    const halves = pieces.length === 2 * count && /^[+-]?\d+(,\d+,[+-]?\d+)*,\d+$/.test(words);
    if (!halves) return pieces.map(alone);
    return pieces.flatMap((one, i) => (i % 2 ? [] : [`${one}.${pieces[i + 1]}`])); // 0,5,0,25
  }

  // The numbers in a text; null if it is not numbers.
  function parse(text, count = 1) {
    const found = split(text, count).map(calculate);
    return found.length === 0 || found.includes(null) ? null : found;
  }

  // --- Expressions of the numbers, as in values.py

  const PAIRS = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    and: (a, b) => a && b,
    or: (a, b) => a || b,
  };
  const ONES = { abs: Math.abs, sign: Math.sign, not: (a) => !a };
  const WHOLE = {
    sorted: (a) => [...a].sort((one, other) => one - other),
    sum: (a) => a.reduce((one, other) => one + other, 0),
    max: (a) => Math.max(...a),
    all: (a) => (Array.isArray(a) ? a.every(Boolean) : a),
  };

  function each(f, a, b) {
    if (Array.isArray(a)) return a.map((one, i) => f(one, Array.isArray(b) ? b[i] : b));
    return Array.isArray(b) ? b.map((one) => f(a, one)) : f(a, b);
  }

  function compute(data, numbers) {
    if (!Array.isArray(data) || typeof data[0] !== "string") return data;
    const [operation, ...parts] = data;
    if (operation === "entry") return numbers[parts[0]];
    if (operation === "entries") return parts[0].map((i) => numbers[i]);
    const [first, second] = parts.map((part) => compute(part, numbers));
    if (operation === "look") return first[second];
    if (operation in PAIRS) return each(PAIRS[operation], first, second);
    return operation in ONES ? each(ONES[operation], first) : WHOLE[operation](first);
  }

  // Between what an expression lies for answers whose numbers lie between `low` and `high`.
  function bounds(data, low, high) {
    const [operation, ...parts] = Array.isArray(data) ? data : [];
    if (typeof operation !== "string" || ["entry", "entries", "look"].includes(operation)) {
      return [compute(data, low), compute(data, high)];
    }
    const [[a, b], [c, d] = []] = parts.map((part) => bounds(part, low, high));
    const most = (one, other) => each(Math.max, one, other);
    const least = (one, other) => each(Math.min, one, other);
    const negative = (one) => each((x) => -x, one);
    if (operation === "not") return [each(ONES.not, b), each(ONES.not, a)];
    if (operation === "abs") return [most(most(a, negative(b)), 0), most(negative(a), b)];
    if (operation in ONES) return [each(ONES[operation], a), each(ONES[operation], b)];
    if (operation in WHOLE) return [WHOLE[operation](a), WHOLE[operation](b)];
    const pair = (one, other) => each(PAIRS[operation], one, other);
    if (operation === "-") return [pair(a, d), pair(b, c)];
    if (operation === "*") {
      const products = [pair(a, c), pair(a, d), pair(b, c), pair(b, d)];
      return [products.reduce(least), products.reduce(most)];
    }
    return operation.startsWith("<") ? [pair(b, c), pair(a, d)] : [pair(a, c), pair(b, d)];
  }

  // The formats of Python that sentences use: "", ".2f", ".1%" and "g".
  function format(value, how) {
    if (how === "") return String(value);
    if (how === "g") {
      const [digits, exponent] = value.toExponential(5).split("e").map(Number);
      if (exponent >= -5 && exponent < 6) return String(Number(value.toPrecision(6)));
      return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    }
    const places = Number(how.slice(1, -1));
    return how.endsWith("%") ? `${rounded(100 * value, places)}%` : rounded(value, places);
  }

  // With so many places; what lies in the middle becomes even, as in Python.
  function rounded(value, places) {
    const middle = /^50*$/.test(value.toFixed(60).split(".")[1].slice(places));
    const scaled = Math.floor(Math.abs(value) * 10 ** places);
    return middle && scaled % 2 === 0 ? ((Math.sign(value) * scaled) / 10 ** places).toFixed(places) : value.toFixed(places);
  }

  const fill = (sentence, numbers) =>
    sentence.replace(/⟨(.+?)\|(.*?)⟩/g, (_, data, how) => format(compute(JSON.parse(data), numbers), how));

  // --- Verdicts

  // The shape of the matrix in a text, as "2 × 3"; null if rows are not set apart, or not equally long.
  function shape(text, columns) {
    const rows = withoutLatex(text).split(/[\])}]\s*,?\s*[[({]|[;\n]/).filter((row) => /\S/.test(row));
    const lengths = rows.map((row) => parse(row.replace(/^[\s[({]+|[\s\])}]+$/g, ""), columns)?.length);
    const isTable = rows.length > 1 && lengths.every((length) => length === lengths[0]);
    return isTable ? `${rows.length} × ${lengths[0]}` : null;
  }

  // The numbers of one field, or a sentence against them.
  function read(reader, text) {
    const { refused, count } = reader;
    const found = parse(text, count);
    if (found === null) return refused.words;
    if (found.length !== count) {
      const rows = reader.shape && shape(text, reader.shape[1]);
      const given = rows ?? (reader.shape ? (parse(text) ?? found) : found).length;
      return refused.how_many.replace("{count}", count).replace("{given}", given);
    }
    if (!found.every(Number.isFinite)) return refused.infinite;
    const inside = (one) =>
      (reader.least === null || (reader.least <= one && one <= reader.most)) && (!reader.whole || one === Math.round(one));
    return found.every(inside) ? found : refused.outside;
  }

  // Half a unit of the last digit of a number that is written with two significant digits, such as 0.33; otherwise 0.
  function rounding(number) {
    const [digits, power] = Math.abs(number).toExponential().split("e");
    const last = Math.min(power - (digits.length > 1 ? digits.length - 2 : 0), 0);
    return power - last === 1 ? 0.5 / 10 ** -last : 0;
  }

  // Whether numbers that are rounded to those given may be right, though these are not.
  function isCoarse(check, given) {
    const wholes = check.readers.flatMap(({ whole, count }) => Array(count).fill(whole));
    const off = given.map((one, i) => (wholes[i] ? 0 : rounding(one)));
    const [low, high] = [-1, 1].map((sign) => given.map((one, i) => one + sign * off[i]));
    return off.some(Boolean) && !check.rules.some(([condition]) => bounds(condition, low, high)[0]);
  }

  const KINDS = {
    numbers(check, given) {
      const numbers = [];
      for (const [i, reader] of check.readers.entries()) {
        const found = read(reader, given[i]);
        if (typeof found === "string") return found;
        numbers.push(...found);
      }
      const rule = check.rules.find(([condition]) => compute(condition, numbers));
      return rule && (isCoarse(check, numbers) ? check.coarse : fill(rule[1], numbers));
    },
    words(check, given) {
      const sentences = check.rows.map(({ words, unknown }, i) => words[given[i]] ?? unknown);
      return sentences.find(Boolean);
    },
  };

  // Whether a verdict is against the answer; what cannot be read, or is rounded too coarsely, is no wrong answer.
  function isWrong(check, given, found) {
    if (!found.startsWith("not yet") || found.endsWith(check.coarse)) return false;
    return check.kind === "words" || check.readers.every(({ count }, i) => parse(given[i], count)?.length === count);
  }

  // 1,414 is a whole number, unless a decimal comma makes the answer right.
  function meant(check, given) {
    const decimal = given.map((text) => text.replace(/(?<![\d.,])([1-9]\d{0,2}),(?=\d{3}(?!\d|,\d))/g, "$1."));
    return check.kind === "numbers" && KINDS.numbers(check, decimal) === undefined ? decimal : given;
  }

  // What `check` prints after the name of an exercise, for what stands in the fields of the page.
  function verdict(check, given) {
    const blank = (text) => /^[\s.…]*$/.test(text);
    if (check.kind === "numbers" ? given.some(blank) : given.every(blank)) return "not answered yet";
    const reason = KINDS[check.kind](check, meant(check, given));
    return reason ? `not yet: ${reason}` : "correct";
  }

  // The data of a check, which a page holds so that nobody reads the answer there by chance.
  function unpack(name, packed) {
    const key = new TextEncoder().encode(name);
    const bytes = Uint8Array.from(atob(packed), (sign, i) => sign.charCodeAt(0) ^ key[i % key.length]);
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  // --- The page

  const TRIES = 2; // wrong answers before the hint is offered

  function given(form) {
    const names = [...new Set([...form.elements].map((one) => one.name).filter(Boolean))];
    return names.map((name) => form.elements[name].value);
  }

  // How numbers were read that are written in another way than a computer writes them.
  function understood(check, texts) {
    const line = document.createElement("span");
    line.className = "answer-read";
    if (check.kind !== "numbers") return line;
    const read = meant(check, texts).map((text, i) => parse(text, check.readers[i].count));
    const words = (text) => text.split(/[\s,;[\]()]+/).filter(Boolean);
    const short = (one) => (Number.isInteger(one) ? one : Number(one.toPrecision(6)));
    const usual = (found, text) => !found || found.every((one, i) => String(one) === words(text)[i]);
    if (read.every((found, i) => usual(found, texts[i]))) return line;
    line.textContent = ` (read as ${read.map((found) => found?.map(short).join(", ") ?? "no number").join("; ")})`;
    return line;
  }

  // The hint of an exercise stands after its answer cell, beside the solution.
  function hint(form) {
    for (let next = form.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches(".helps")) return next.querySelector("details:not(.solution)");
      if (next.matches(".exercise, section, h2, h3")) return null;
    }
    return null;
  }

  function offerHint(form) {
    const box = hint(form);
    if (!box || box.open || form.querySelector(".answer-hint")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "answer-hint";
    button.textContent = "Show the hint";
    button.addEventListener("click", () => {
      box.open = true;
      button.remove();
      box.scrollIntoView({ block: "nearest" });
      box.querySelector("summary").focus({ preventScroll: true });
    });
    form.append(button);
  }

  function attach(form) {
    const check = unpack(form.dataset.exercise, form.dataset.check);
    const said = form.querySelector("output");
    let wrong = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = verdict(check, given(form));
      const correct = found === "correct";
      const again = form.dataset.verdict === "wrong"; // nothing has changed since
      said.textContent = correct ? `✓ ${found}` : found;
      said.append(understood(check, given(form)));
      form.dataset.verdict = correct ? "correct" : isWrong(check, given(form), found) ? "wrong" : "";
      if (correct) form.querySelector(".answer-hint")?.remove();
      if (form.dataset.verdict === "wrong" && !again && ++wrong >= TRIES) offerHint(form);
    });
    form.addEventListener("input", () => {
      said.textContent = "";
      delete form.dataset.verdict;
    });
    form.hidden = false;
  }

  return { attach, parse, format, unpack, verdict };
})();

if (globalThis.document) document.querySelectorAll("form.answer").forEach(answers.attach);
