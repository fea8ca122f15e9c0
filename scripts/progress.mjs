/*
 * Shows progress on standard error, to leave standard output to a command's result: a spinner in a terminal, otherwise
 * one plain line for each step.
 */

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const live = process.stderr.isTTY === true && process.env.CI === undefined && process.env.TERM !== "dumb"
const coloured = live && (process.env.NO_COLOR ?? "") === ""

const paint = (code, text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text)
const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

/**
 * Shows a step while its work is in flight, then how long it took.
 *
 * @template A
 * @param {string} label
 * @param {() => Promise<A>} work
 * @returns {Promise<A>}
 */
export const step = async (label, work) => {
  const startedAt = performance.now()
  let frame = 0
  const draw = () => {
    const spinner = paint(36, frames[frame++ % frames.length])
    process.stderr.write(`\r\u001b[2K${spinner} ${label} ${paint(2, seconds(startedAt))}`)
  }
  const timer = live ? setInterval(draw, 80) : undefined
  if (!live) process.stderr.write(`${label} ...\n`)
  const end = (mark) => {
    clearInterval(timer)
    process.stderr.write(
      live
        ? `\r\u001b[2K${mark} ${label} ${paint(2, seconds(startedAt))}\n`
        : `${label}: ${mark} (${seconds(startedAt)})\n`
    )
  }
  try {
    const result = await work()
    end(live ? paint(32, "✓") : "done")
    return result
  } catch (error) {
    end(live ? paint(31, "✗") : "failed")
    throw error
  }
}
