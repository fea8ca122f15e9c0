import { lostOf } from "./HostWork.ts"
import { losesContents } from "./JsonLoss.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"

/** JSON without some of what a handler responds with, and why it isn't sold. */
export interface LossyJson {
  /** Whether a text is that JSON, however it is spaced and escaped. */
  readonly isText: (text: string) => boolean
  readonly error: Error
}

const sameJson = (text: string, json: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

/**
 * Looks at what a handler gives its framework to write as JSON. If another text is sent, a serializer of the
 * host wrote it, and nothing may be lost.
 */
export const lossyJson = (value: unknown): LossyJson | undefined => {
  try {
    // First: what has no end fails here.
    const json = JSON.stringify(value)
    const lost = lostOf(value, losesContents)
    return lost === undefined
      ? undefined
      : {
          isText: (text) => sameJson(text, json),
          error: new MalformedResponse({ message: `the handler responded with ${lost}` })
        }
  } catch {
    // The framework fails by the same error, or doesn't read what throws.
    return undefined
  }
}
