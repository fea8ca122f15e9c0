/*
 * How APIs say that they refused, where a client returns that instead of throwing it.
 */

/** A status of HTTP that is an error, also as text. */
export const isErrorStatus = (value: unknown): boolean => {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === "number" && status >= 400 && status <= 599
}

/** Some clients always have the member of an error. */
const isError = (error: unknown): boolean =>
  typeof error === "string"
    ? !/^(?:|0|false|no(?:ne| error)?|null|ok|success)$/i.test(error.trim())
    : error === true ||
      // Its own members are none that can be listed.
      error instanceof Error ||
      (typeof error === "object" && error !== null && Object.keys(error).length > 0)

/** Whether an object says by itself that something was refused. */
export const saysRefused = (answer: object): boolean => {
  const {
    cod,
    error_message,
    error = error_message,
    status = cod,
    StatusCode = status,
    statusCode = StatusCode,
    success
  } = answer as Readonly<Record<string, unknown>>
  return isError(error) || success === false || isErrorStatus(statusCode)
}

/** Whether an object lists errors. That alone is no refusal: a linter's result does, too. */
export const listsErrors = ({ errors }: { readonly errors?: unknown }): boolean =>
  typeof errors === "object" && errors !== null && Object.keys(errors).length > 0

/** Whether `ok` or `status` reports a failure. That alone is no refusal: it may answer the caller's question. */
export const mayRefuse = (answer: object): boolean => {
  const { ok, status } = answer as Readonly<Record<string, unknown>>
  return ok === false || (typeof status === "string" && /^(?:error|fail(?:ed)?)$/i.test(status))
}
