import { canonicalJson } from "../toll/request/ChargeKey.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { IncomingRequest } from "./HttpMessage.ts"
import type { Body } from "./RequestBody.ts"

/*
 * Requests that equal the published example of an operation: indexers send it, and list what answers with a 402.
 */

/** A request with its body, as it came. */
interface Sent {
  readonly request: Pick<IncomingRequest, "url">
  readonly body: Body
}

const sorted = (pairs: Iterable<readonly [string, string]>): string =>
  JSON.stringify([...pairs].toSorted(([left], [right]) => (left < right ? -1 : 1)))

/** Tells whether a request is the example of its operation. */
export const exampleMatcher = ({
  documents,
  endpoint
}: Pick<AnyOperation, "documents" | "endpoint">): ((sent: Sent) => boolean) => {
  const inPath = new Set(Array.from(endpoint.path.matchAll(/:(\w+)/g), ([, name]) => name))
  const given = Object.entries(documents.example.input).filter(([name]) => !inPath.has(name))
  if (endpoint.method === "GET") {
    const example = sorted(given.map(([name, value]) => [name, String(value)]))
    return ({ request }) => sorted(new URLSearchParams(request.url.search)) === example
  }
  const example = canonicalJson(Object.fromEntries(given))
  return ({ body }) => body._tag === "Json" && canonicalJson(body.value) === example
}

/** Time for which an example that can't be quoted isn't quoted anew. */
const pauseMillis = 5 * 60_000

/** Examples that couldn't be quoted, at most one for each operation: so their probes cost an upstream little. */
export class FailedExamples {
  private readonly untilMillis = new Map<string, number>()

  has(operation: string, nowMillis: number): boolean {
    return nowMillis < (this.untilMillis.get(operation) ?? 0)
  }

  add(operation: string, nowMillis: number): void {
    this.untilMillis.set(operation, nowMillis + pauseMillis)
  }

  get isEmpty(): boolean {
    return this.untilMillis.size === 0
  }
}
