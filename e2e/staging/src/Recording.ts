/*
 * Records responses as fixtures: their structure, numbers and words of programs. Every other text is replaced, because
 * responses contain names, addresses, keys and ids.
 */

/** Fields whose values are words of programs. */
const wordFields =
  /^(status|sub_status|state|phase|type|code|currency|currencyCode|network|chain|method|availability|error_type|stage|key_stage|object|event|carrier)$/
const word = /^[\w.-]{1,60}$/

const substitute = (field: string, text: string): string => {
  if (wordFields.test(field) && word.test(text)) return text
  if (/^\d{1,12}(\.\d{1,18})?$/.test(text))
    return /amount|price|total|tax|shipping|cost/i.test(field) ? text : "1"
  if (/^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(text)) {
    return text.length > 10 ? "2026-01-01T00:00:00Z" : "2026-01-01"
  }
  if (/^0x[0-9a-fA-F]*$/.test(text)) return `0x${"0".repeat(text.length - 2)}`
  return URL.canParse(text) ? "https://example.com/" : "text"
}

/** A JSON document of the same structure without personal data, ids and addresses. */
export const sanitized = (value: unknown, field = ""): unknown => {
  if (typeof value === "string") return substitute(field, value)
  if (Array.isArray(value)) return value.map((each) => sanitized(each, field))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sanitized(each, key)]))
}

export interface Recorded {
  /** Unique in a run: `rye-2-GET-checkout-intents-200`. */
  readonly name: string
  readonly document: unknown
}

/** Words of a path; everything that may be an id or a number is left out. */
const wordsOf = (url: string): string =>
  new URL(url).pathname
    .split("/")
    .filter((part) => /^[a-z][a-z-]*$/.test(part) && part !== "api")
    .join("-")

/** A `fetch` that passes each JSON response on, and records it sanitized. */
export const recordingFetch = (
  script: string,
  record: (recorded: Recorded) => void
): typeof globalThis.fetch => {
  let count = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, url } = request
    const response = await globalThis.fetch(request)
    const text = await response.clone().text()
    try {
      const document = sanitized(JSON.parse(text))
      count += 1
      record({ name: `${script}-${count}-${method}-${wordsOf(url)}-${response.status}`, document })
    } catch {
      // A response that isn't JSON can't be a fixture.
    }
    return response
  }
}
