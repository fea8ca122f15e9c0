import { type Schema, SchemaIssue } from "effect"
import type { Issue } from "./ApiError.ts"

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? "an" : "a")

const oneOf = (choices: string): string =>
  `must be one of ${choices.replaceAll('"', "").replaceAll(" | ", ", ")}`

/** The formatter's message for a value that fits no member of a union. It isn't passed to the hook. */
const noMember = /^Expected ((?:"[^"]*"|[\w.]+)(?: \| (?:"[^"]*"|[\w.]+))+)$/

/** Describes what is valid, in words for the caller; never repeats the value. */
const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    const message = SchemaIssue.defaultLeafHook(issue)
    const expected = /^Expected (.+)$/.exec(message)?.[1]
    if (expected === undefined) return message
    if (expected.includes(" | ")) return oneOf(expected)
    if (expected.startsWith('"')) return `must be ${expected}`
    const noun = /^(string|number|boolean|array|integer)$/.test(expected) ? expected : "object"
    return `must be ${article(noun)} ${noun}`
  }
})

/** Every fault of an input, with its path: `creator.name`. */
export const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message: message.replace(noMember, (_, choices: string) => oneOf(choices))
  }))
