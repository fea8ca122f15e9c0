/** Returns `NODE_ENV`, empty if it isn't set; `undefined` where there is no environment, or it must not be read. */
export const nodeEnv = (): string | undefined => {
  try {
    return typeof process === "undefined" ? undefined : (process.env["NODE_ENV"] ?? "")
  } catch {
    // Deno doesn't let every program read its environment.
    return undefined
  }
}
