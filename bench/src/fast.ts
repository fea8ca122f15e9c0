/*
 * What the hand-tuned code in packages/core/src/fast gains: nanoseconds of the plain code and of its fast twin (medians
 * of alternating batches), and what the twin saves as a share of a paid call. Below 3 % a twin isn't worth its lines.
 *
 *   node --conditions=@till402/source bench/src/fast.ts [part of a twin's name]
 */
import { type Twin, twins } from "./fastTwins.ts"

/** Time of a paid call in this process, without its upstream and facilitator: `npm run bench`. */
const callNanos = 55_000
const batchMillis = 15
const batches = 21
const lowestShare = 0.03

type Repeat = Twin["plain"]

/** Repeats that take about as long as a batch; warms the code up, too. */
const timesOf = async (repeat: Repeat): Promise<number> => {
  for (let times = 16; ; times *= 2) {
    const started = performance.now()
    await repeat(times)
    if (performance.now() - started > batchMillis) return times
  }
}

const nanosOf = async (repeat: Repeat, times: number): Promise<number> => {
  const started = performance.now()
  await repeat(times)
  return ((performance.now() - started) * 1e6) / times
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!

const measure = async ({ fast, plain }: Twin) => {
  const times = { plain: await timesOf(plain), fast: await timesOf(fast) }
  const nanos: { readonly plain: Array<number>; readonly fast: Array<number> } = { plain: [], fast: [] }
  for (let batch = 0; batch < batches; batch++) {
    nanos.plain.push(await nanosOf(plain, times.plain))
    nanos.fast.push(await nanosOf(fast, times.fast))
  }
  return { plain: median(nanos.plain), fast: median(nanos.fast) }
}

const row = (cells: ReadonlyArray<string>): void => {
  const [name = "", ...numbers] = cells
  console.log(name.padEnd(58) + numbers.map((cell) => cell.padStart(12)).join(""))
}

const [chosen = ""] = process.argv.slice(2)
row(["code (the plain code that it replaces)", "plain ns", "fast ns", "per call", "of a call"])
for (const twin of twins.filter(({ name }) => name.includes(chosen))) {
  const { fast, plain } = await measure(twin)
  const share = ((plain - fast) * twin.perCall) / callNanos
  const verdict = share < lowestShare ? "  too little" : ""
  row([
    twin.name,
    plain.toFixed(0),
    fast.toFixed(0),
    String(twin.perCall),
    `${(share * 100).toFixed(1)} %${verdict}`
  ])
}
