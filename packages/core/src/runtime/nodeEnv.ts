/** Returns `NODE_ENV`, empty if it isn't set; `undefined` where there is no environment, or it must not be read. */
export const nodeEnv = (): string | undefined => {
  try {
    return typeof process === "undefined" ? undefined : (process.env["NODE_ENV"] ?? "")
  } catch {
    // Deno doesn't let every program read its environment.
    return undefined
  }
}

/** Whether Node's own test runner has started this process. It sets no `NODE_ENV`. */
const isNodeTest = (): boolean => {
  try {
    return typeof process !== "undefined" && process.env["NODE_TEST_CONTEXT"] !== undefined
  } catch {
    return false
  }
}

/** Whether this process is a test, as test runners declare it. */
export const isTestRun = (): boolean => nodeEnv() === "test" || isNodeTest()
