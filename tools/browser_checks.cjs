// Open every page of a built site in headless Chromium and print what was found, as JSON.
//     NODE_PATH=FOLDER/node_modules node tools/browser_checks.cjs http://127.0.0.1:PORT CHROMIUM PAGE...
// FOLDER has the packages playwright-core and axe-core. No page may ask another host for anything.
const { chromium } = require("playwright-core");
const axeSource = require("axe-core").source;

const [, , base, executablePath, ...names] = process.argv;
const THOROUGH = ["index", "attention", "optimizer", "explorer"];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const tooWide = () => {
  const page = document.documentElement;
  if (page.scrollWidth <= page.clientWidth) return [];
  const scrolls = (e) => e && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const wide = [...document.querySelectorAll("body *")].filter(
    (e) => e.getBoundingClientRect().right > page.clientWidth + 1 && !scrolls(e.parentElement));
  return [`${page.scrollWidth} px at a width of ${page.clientWidth}: ${wide.slice(0, 3).map((e) => e.tagName + "." + e.className)}`];
};
const unseenFormulas = () => [...document.querySelectorAll("main .math")]
  .filter((e) => e.checkVisibility()).filter((e) => { const m = e.querySelector("math"); return !m || m.getBoundingClientRect().width < 2; })
  .map((e) => e.textContent.slice(0, 40));
const audit = async (only) => {
  const rules = only ? { runOnly: { type: "rule", values: [only] } } : {};
  const { violations } = await axe.run(document, { ...rules, resultTypes: ["violations"] });
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.target} ${(n.any[0] || {}).message || ""}`));
};
const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;

(async () => {
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const found = { pages: names.length, problems: [], paint: {} };
  const say = (name, what, list) => found.problems.push(...list.map((x) => `${name}: ${what}: ${x}`));
  const open = async (page, name) => {
    page.removeAllListeners();
    page.on("console", (m) => m.type() === "error" && say(name, "console", [m.text()]));
    page.on("pageerror", (e) => say(name, "script", [e.message]));
    page.on("request", (r) => r.url().startsWith(base) || r.url().startsWith("data:") || say(name, "other host", [r.url()]));
    page.on("response", (r) => r.status() < 400 || say(name, "missing", [r.url()]));
    await page.goto(`${base}/${name}.html`, { waitUntil: "load" });
  };
  const scheme = async (name, page, dark) => {
    const is = await page.evaluate(() => document.documentElement.classList.contains("quarto-dark"));
    if (is !== dark) await page.click(".quarto-color-scheme-toggle");
    await page.waitForTimeout(60);
  };

  const wide = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  for (const name of names) {
    await open(wide, name);
    say(name, "formula without a shape", await wide.evaluate(unseenFormulas));
    await wide.evaluate(axeSource);
    await wide.addStyleTag({ content: "* { transition: none !important; }" }); // colors are judged at rest
    for (const dark of [false, true]) {
      await scheme(name, wide, dark);
      const rule = THOROUGH.includes(name) && !dark ? null : "color-contrast";
      say(name, dark ? "dark" : "light", await wide.evaluate(audit, rule));
    }
  }
  const narrow = await browser.newPage({ viewport: { width: 400, height: 800 } });
  for (const name of names) {
    await open(narrow, name);
    say(name, "wider than the page", await narrow.evaluate(tooWide));
  }

  for (const name of THOROUGH) {
    const fresh = await browser.newContext();
    const page = await fresh.newPage();
    await open(page, name);
    await page.waitForTimeout(200);
    found.paint[name] = await page.evaluate(paint);
    await fresh.close();
  }

  await open(wide, "explorer");
  const said = () => wide.textContent("#attention-explorer output");
  const before = await said();
  await wide.locator("#attention-explorer text[role=button]").nth(5).click();
  if (before === (await said())) say("explorer", "click", ["nothing changed"]);
  await wide.fill("#quarto-search input", "label smoothing");
  await wide.waitForTimeout(500);
  found.search = await wide.locator("#quarto-search a").evaluateAll((a) => a.map((x) => x.getAttribute("href")));

  const still = await browser.newPage({ javaScriptEnabled: false });
  await open(still, "attention");
  found.without_script = { text: (await still.textContent("main")).length, formulas: await still.locator("main math").count() };
  await browser.close();
  console.log(JSON.stringify(found));
})().catch((e) => { console.error(e); process.exit(1); });
