/** A command that didn't do what it was asked to, for standard error: the exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed"
}

/** A command line that can't be carried out as it is: the exit code is 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage"
}

/** What went wrong in the words of an error and of its causes, for people. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // `fetch` hides the reason in its cause, which may be several attempts.
  const { cause } = error
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  const reason = inner instanceof Error ? inner.message || String(Reflect.get(inner, "code") ?? "") : ""
  return reason === "" || error.message.includes(reason) ? error.message : `${error.message}: ${reason}`
}
