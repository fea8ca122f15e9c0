/** The style of all pages. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #fff; --ink: #15181d; --soft: #5a6472; --line: #dde1e7; --link: #1a56c4; --edge: #868f9c;
  --good: #0b6b3a; --good-back: #dcf3e5; --bad: #a3211b; --bad-back: #fbe3e1; --warn: #7a4d00; --warn-back: #fcefcf;
  --info: #1a4fa8; --info-back: #dfeafc; --quiet-back: #e9ecf0; --mark: #1a56c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101317; --card: #191d23; --ink: #e8ebef; --soft: #a0aab7; --line: #2d333c; --link: #8ab4ff; --edge: #6b7684;
    --good: #7ddca5; --good-back: #12351f; --bad: #ff9d96; --bad-back: #431a18; --warn: #f5c86a; --warn-back: #3a2a08;
    --info: #9cc2ff; --info-back: #15294a; --quiet-back: #262c34; --mark: #2a63cf;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
body { margin: 0; background: var(--paper); color: var(--ink); }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; top: 0; background: var(--card); padding: 0.5rem 1rem; z-index: 2; }
.skip:focus { left: 0; }
.top { display: flex; align-items: center; gap: 0.25rem 1rem; flex-wrap: wrap; padding: 0.6rem max(1rem, calc(50vw - 36rem));
  background: var(--card); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; white-space: nowrap; }
.mark { background: var(--mark); color: #fff; border-radius: 0.3rem; padding: 0.1rem 0.4rem; font-variant-numeric: tabular-nums; }
.top nav { flex: 1 1 100%; margin-left: -0.4rem; }
.top ul { display: flex; flex-wrap: wrap; gap: 0.15rem; list-style: none; margin: 0; padding: 0.15rem; }
.top nav a { display: block; padding: 0.25rem 0.4rem; border-radius: 0.4rem; color: var(--soft); text-decoration: none; white-space: nowrap; }
.top nav a:hover { color: var(--ink); background: var(--paper); }
.top nav a[aria-current] { color: var(--ink); background: var(--quiet-back); font-weight: 600; }
.who { margin: 0; color: var(--soft); font-size: 0.85rem; white-space: nowrap; }
input, button, .button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.35rem 0.7rem; background: var(--card); }
input { border-color: var(--edge); }
.search { margin-left: auto; }
.search input { width: 11.5rem; max-width: 100%; background: var(--paper); }
main { max-width: 74rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.25rem 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.5rem; }
.lead p { color: var(--soft); max-width: 46rem; margin: 0.25rem 0 1rem; }
.lead strong { color: var(--ink); }
.facts > div { min-width: 0; }
.head { display: flex; align-items: baseline; gap: 0.75rem; flex-wrap: wrap; }
.head > p { margin: 0; color: var(--soft); }
.life { display: grid; grid-template-columns: repeat(6, 1fr); gap: 0; list-style: none; margin: 0; padding: 0;
  background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; }
.life li { position: relative; display: flex; flex-direction: column; padding: 0.8rem 0.9rem 0.8rem 1.3rem; }
.life li + li::before { content: "›"; position: absolute; left: 0; top: 0.5rem; font-size: 1.3rem; color: var(--soft); }
.life h2 { margin: 0; font-size: 0.95rem; }
.life p { margin: 0.1rem 0; font-size: 0.85rem; color: var(--soft); }
.life .count { color: var(--soft); margin-top: auto; padding-top: 0.3rem; }
.life .also { padding-top: 0; }
.life .count strong { display: block; color: var(--ink); font-size: 1.35rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.try { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; margin-top: 1rem; }
.try h2 { margin: 0; font-size: 1rem; }
pre { margin: 0; padding: 0.6rem 0.8rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 0.4rem; }
code { font: 0.9em/1.4 ui-monospace, "Liberation Mono", Menlo, monospace; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.45rem 0.75rem; border-top: 1px solid var(--line); vertical-align: top; font-weight: 400; white-space: nowrap; }
thead th { border-top: 0; font-size: 0.8rem; color: var(--soft); }
tbody th { font-weight: 600; }
tbody th code { white-space: nowrap; }
tbody small { display: block; font-weight: 400; color: var(--soft); }
time span { white-space: nowrap; }
.narrow { display: none; }
td.text, th.text { white-space: normal; min-width: 10rem; overflow-wrap: anywhere; }
.number { text-align: right; }
.when, .at, .events time { color: var(--soft); }
tr.new { animation: arrive 1.6s ease-out; }
@keyframes arrive { from { background: var(--info-back); } to { background: transparent; } }
@media (prefers-reduced-motion: reduce) { tr.new { animation: none; } }
.cut { display: inline-block; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; white-space: nowrap; }
td .cut { max-width: 12rem; }
.badge { display: inline-block; border-radius: 1rem; padding: 0 0.6rem; font-size: 0.85rem; font-weight: 600; background: var(--quiet-back); color: var(--soft); white-space: nowrap; }
.badge.good, .notice.good { color: var(--good); background: var(--good-back); }
.badge.bad, .notice.bad { color: var(--bad); background: var(--bad-back); }
.badge.warn, .notice.warn { color: var(--warn); background: var(--warn-back); }
.badge.info { color: var(--info); background: var(--info-back); }
.notice { border-radius: 0.5rem; padding: 0.6rem 0.9rem; }
.none { color: var(--soft); padding: 1rem 0; }
.pulse::before { content: "● "; color: var(--soft); }
.pulse.on::before { color: var(--good); }
.dots { display: inline-flex; gap: 0.25rem; align-items: center; height: 1.5rem; }
.dots i { width: 0.65rem; height: 0.65rem; border-radius: 50%; border: 2px solid var(--line); }
.dots i.done { background: var(--good); border-color: var(--good); }
.dots i.failed { background: var(--bad); border-color: var(--bad); border-radius: 2px; }
.dots i.skipped { border-style: dotted; }
.story { list-style: none; margin: 1rem 0; padding: 0; max-width: 46rem; }
.story li { position: relative; padding: 0 0 1rem 2rem; }
.story li::before { content: "○"; position: absolute; left: 0; top: 0; width: 1.4rem; height: 1.4rem; line-height: 1.4rem; text-align: center; border-radius: 50%;
  background: var(--quiet-back); color: var(--soft); font-size: 0.85rem; z-index: 1; }
.story li::after { content: ""; position: absolute; left: 0.65rem; top: 1.4rem; bottom: 0; width: 2px; background: var(--line); }
.story li:last-child::after { display: none; }
.story li.done::before { content: "✓"; background: var(--good-back); color: var(--good); }
.story li.failed::before { content: "✕"; background: var(--bad-back); color: var(--bad); }
.story li.skipped { color: var(--soft); }
.story h3 { margin: 0; font-size: 1rem; }
.story .state { font-weight: 400; font-size: 0.85rem; color: var(--soft); }
.story p { margin: 0.1rem 0; }
.at { font-size: 0.85rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(23.5rem, 1fr)); gap: 0.6rem 1.5rem; padding: 1rem; margin: 1rem 0;
  background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; }
.facts dt { font-size: 0.8rem; color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts .cut, .story .cut { display: inline; vertical-align: baseline; white-space: normal; overflow-wrap: anywhere; }
.plain { list-style: none; margin: 0; padding: 0; }
.plain code { white-space: nowrap; }
.plain.soft { font-size: 0.85rem; color: var(--soft); }
th.option { width: 22rem; }
.plain li + li { margin-top: 0.25rem; }
.notice ul { margin: 0; padding-left: 1.1rem; }
.way { display: flex; flex-wrap: wrap; gap: 0.25rem; list-style: none; padding: 0; }
.way li { display: flex; flex-direction: column; justify-content: center; padding: 0.1rem 0.7rem; border-radius: 1rem; background: var(--quiet-back); color: var(--soft); }
.way li.done { background: var(--good-back); color: var(--good); }
.way li.left { background: var(--warn-back); color: var(--warn); }
.way li.left.bad { background: var(--bad-back); color: var(--bad); }
.way li[aria-current] { font-weight: 700; }
.way small { font-weight: 400; font-size: 0.75rem; }
.choices, .acts, .buttons, .filter { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; margin: 0.75rem 0; }
.choices a { padding: 0.1rem 0.7rem; border-radius: 1rem; text-decoration: none; color: var(--soft); border: 1px solid var(--line); }
.choices a[aria-current] { color: var(--ink); background: var(--quiet-back); font-weight: 600; }
.button, button { text-decoration: none; cursor: pointer; font-weight: 600; }
.button:hover, button:hover { border-color: var(--soft); }
.confirm { max-width: 32rem; display: grid; gap: 0.5rem; }
.confirm button { background: var(--mark); border-color: var(--mark); color: #fff; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem; list-style: none; padding: 0; margin: 1rem 0; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.7rem 0.9rem; }
.tiles p { margin: 0; font-size: 0.85rem; color: var(--soft); }
.tiles strong { display: block; font-size: 1.6rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles small { display: block; line-height: 1.35; color: var(--soft); }
.tiles .good strong { color: var(--good); }
.tiles .warn strong { color: var(--warn); }
.chart { width: 100%; max-width: 46rem; display: block; background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.75rem; }
.chart rect { fill: var(--mark); opacity: 0.55; }
.chart .today rect { opacity: 1; }
.chart text { fill: var(--soft); font-size: 10px; }
details { margin-top: 0.5rem; }
@media (max-width: 62rem) { .life { grid-template-columns: repeat(3, 1fr); } .life li:nth-child(4)::before { content: ""; } }
@media (max-width: 44rem) {
  .wide { display: none; }
  tbody small.narrow { display: block; }
  .chart text { font-size: 14px; }
  .search { flex: 1 1 8rem; } .search input { width: 100%; }
  .who { display: none; }
  .life { grid-template-columns: repeat(2, 1fr); } .life li:nth-child(4)::before { content: "›"; } .life li:nth-child(odd)::before { content: ""; }
  .facts { grid-template-columns: minmax(0, 1fr); }
  table { font-size: 0.9rem; }
  th, td { padding: 0.4rem 0.35rem; white-space: normal; }
  td.number { white-space: nowrap; }
  td.text, th.text { min-width: 5.5rem; }
  td .badge { font-size: 0.8rem; padding: 0 0.45rem; }
}
`

/** The icon: the status of a call without a payment. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1a56c4"/><text x="16" y="21" font-family="sans-serif" font-size="14" font-weight="700" text-anchor="middle" fill="#fff">402</text></svg>'
