import { Context, Effect, Layer, type Schema } from "effect"
import type { ErrorCode } from "../domain/ApiError.ts"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import { equalInConstantTime, Secrets } from "../runtime/Secrets.ts"
import type { Charge, Subject } from "./Charge.ts"

/** Header of a paid response, and of requests for the status of what it has bought. In lower case. */
export const statusTokenHeader = "status-token"

/** A JSON object. */
export type Facts = Readonly<Record<string, Schema.Json>>

/** What a buyer may learn about something that a payment has bought. */
export interface StatusPage {
  readonly id: string
  /** Key of the charge that pays for it. */
  readonly chargeKey: string
  /** Its state, which a request by the payment's transaction gets as well. The charge is that of `chargeKey`. */
  readonly stateOf: (charge: Charge | undefined) => string
  /** What the holder of the status token learns besides: nothing personal. */
  readonly outline: Facts
  /** What the wallet that paid learns besides. Reads what the page itself doesn't have. */
  readonly whole: Effect.Effect<Facts, StoreError>
  /** The first response names something that has been replaced: it isn't shown. */
  readonly isResponseStale?: boolean
  /** When it is likely to change, in milliseconds since the epoch; `undefined`: nothing is awaited. */
  readonly changesAtMillis: number | undefined
}

/** Something that the wallet which paid may do. */
export interface StatusAction {
  /** What the wallet shows to its owner, who signs it: one line. */
  readonly statement: string
  /** Does it, once for each proof: `nonce` is the proof's. */
  readonly run: (id: string, nonce: string) => Effect.Effect<Facts, ApiFailure>
  /** What it returns, for the document. */
  readonly returns: Schema.Struct.Fields
  /** The codes of its failures, for the document. */
  readonly errors: ReadonlyArray<ErrorCode>
}

/** Pages for the subjects of one kind. */
export interface StatusKind {
  /** Segment of their paths: `orders`. */
  readonly path: string
  /** The kind of their charges' subjects. */
  readonly subject: Subject["kind"]
  /** For the document. */
  readonly summary: string
  /** What the wallet shows to its owner, who signs it: one line. */
  readonly statement: string
  /** What its pages show besides that which all show, for the document. Each caller sees a part of it. */
  readonly shows: Schema.Struct.Fields
  readonly find: (id: string) => Effect.Effect<StatusPage | undefined, StoreError>
  /** By the last segment of their paths. */
  readonly actions: Readonly<Record<string, StatusAction>>
}

/**
 * The free status pages of what payments have bought. What reserves subjects of a kind registers their pages, and adds
 * their address and token to its responses.
 */
export class StatusPages extends Context.Service<
  StatusPages,
  {
    readonly add: (kind: StatusKind) => Effect.Effect<void>
    /** The pages at a path's segment. */
    readonly kindOf: (path: string) => StatusKind | undefined
    readonly kinds: () => ReadonlyArray<StatusKind>
    /** Address of a subject's page; `undefined`: it has none. */
    readonly urlOf: (subject: Subject) => string | undefined
    /** Headers of a paid response that name the page and its token. */
    readonly headersOf: (subject: Subject) => Readonly<Record<string, string>>
    /** Whether a text is the token of a page. Compares in constant time, and reads no store. */
    readonly isToken: (path: string, id: string, token: string) => boolean
  }
>()("@till402/core/StatusPages") {
  /** `root`: address below which the pages are; `undefined`: there are none. */
  static readonly layer = (root: string | undefined): Layer.Layer<StatusPages, never, Secrets> =>
    Layer.effect(
      StatusPages,
      Effect.map(Secrets, (secrets) => makePages(secrets, root))
    )
}

const makePages = (secrets: Secrets["Service"], root: string | undefined): StatusPages["Service"] => {
  const kinds = new Map<string, StatusKind>()
  /** Derived, not stored: `<key id>.<HMAC>`. */
  const tokenOf = (path: string, id: string, keyId: string): string | undefined => {
    const digest = secrets.digest("status", `${path}/${id}`, keyId)
    return digest === undefined ? undefined : `${keyId}.${digest}`
  }
  const pageOf = ({ id, kind }: Subject) => {
    const pages = Array.from(kinds.values()).find(({ subject }) => subject === kind)
    return root === undefined || pages === undefined
      ? undefined
      : { path: pages.path, url: `${root}/${pages.path}/${id}` }
  }
  return StatusPages.of({
    add: (kind) => Effect.sync(() => void kinds.set(kind.path, kind)),
    kindOf: (path) => kinds.get(path),
    kinds: () => Array.from(kinds.values()),
    urlOf: (subject) => pageOf(subject)?.url,
    headersOf: (subject) => {
      const page = pageOf(subject)
      if (page === undefined) return {}
      const token = tokenOf(page.path, subject.id, secrets.currentKeyId)!
      return { link: `<${page.url}>; rel="status"`, [statusTokenHeader]: token }
    },
    isToken: (path, id, token) => {
      const due = tokenOf(path, id, token.split(".")[0]!)
      return due !== undefined && equalInConstantTime(due, token)
    }
  })
}
