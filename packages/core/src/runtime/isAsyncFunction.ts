/** Whether a value is written as an async function. A function that merely returns a promise can't be told from others. */
export const isAsyncFunction = (value: unknown): boolean =>
  Object.prototype.toString.call(value) === "[object AsyncFunction]"

/** Whether a value is written as a generator function, async or not. */
export const isGeneratorFunction = (value: unknown): boolean =>
  /^\[object (?:Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(value))
