import { lostOf } from "./HostWork.ts"
import { losesContents } from "./JsonLoss.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"

/** JSON without some of what a handler responds with, and why it isn't sold. */
export interface LossyJson {
  readonly text: string
  readonly error: Error
}

/**
 * Looks at what a handler gives its framework to write as JSON. If another text is sent, a serializer of the
 * host wrote it, and nothing may be lost.
 */
export const lossyJson = (value: unknown): LossyJson | undefined => {
  try {
    const lost = lostOf(value, losesContents)
    return lost === undefined
      ? undefined
      : {
          text: JSON.stringify(value),
          error: new MalformedResponse({ message: `the handler responded with ${lost}` })
        }
  } catch {
    // The framework fails by the same error, or doesn't read what throws.
    return undefined
  }
}
