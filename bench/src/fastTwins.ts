import { hash } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import { type Hex, hashTypedData, recoverAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { discoveryOf } from "../../packages/core/src/api/Discovery.ts"
import { findNetwork } from "../../packages/core/src/domain/Network.ts"
import * as Search from "../../packages/core/src/shop/routes/Search.ts"
import { EvmPaymentPayload } from "../../packages/core/src/domain/PaymentPayload.ts"
import { TrackResult } from "../../packages/core/src/shop/goods/Tracking.ts"
import { authorizationHash } from "../../packages/core/src/fast/authorizationHash.ts"
import { fromBase64, toBinary, toText } from "../../packages/core/src/fast/base64.ts"
import { callWithTimeout } from "../../packages/core/src/fast/callWithTimeout.ts"
import { compiled } from "../../packages/core/src/fast/compiled.ts"
import { digestsBy, portableDigests } from "../../packages/core/src/fast/Digests.ts"
import { base64JsonTemplate, jsonTemplate } from "../../packages/core/src/fast/jsonTemplate.ts"
import { recoverSigner } from "../../packages/core/src/fast/recoverSigner.ts"
import { schedule } from "../../packages/core/src/fast/schedule.ts"
import { spanned } from "../../packages/core/src/fast/spanned.ts"
import { sampleTrackResult } from "../../packages/core/src/testing/samples.ts"
import { domainSeparator } from "../../packages/core/src/toll/exact/Evm.ts"

/*
 * The hand-tuned code of packages/core/src/fast, each piece beside the plain code that it replaces.
 */

/** Runs a piece of code so many times. */
type Repeat = (times: number) => void | Promise<void>

export interface Twin {
  readonly name: string
  /** Uses in one paid call. */
  readonly perCall: number
  readonly plain: Repeat
  readonly fast: Repeat
}

/** Results go here, so that no call is optimized away. */
let sink: unknown

const each =
  (run: () => unknown): Repeat =>
  (times) => {
    for (let index = 0; index < times; index++) sink = run()
  }

const eachEffect =
  (effect: Effect.Effect<unknown>): Repeat =>
  (times) =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (let index = 0; index < times; index++) sink = yield* effect
      })
    )

const withName = Effect.fn("search", { attributes: { source: "a" } })(() => Effect.void)

const network = findNetwork("base")!
const separator = domainSeparator(network)
const account = privateKeyToAccount(`0x${"17".repeat(32)}`)
const payTo = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
const nonce: Hex = `0x${"ab".repeat(32)}`
const authorization = {
  from: account.address,
  to: payTo,
  value: "10000",
  validAfter: "1700000000",
  validBefore: "1700000120",
  nonce
} as const

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

const typedData = () =>
  ({
    domain: { ...network.eip712, chainId: network.chainId, verifyingContract: network.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      from: authorization.from,
      to: authorization.to,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce
    }
  }) as const

const signature = await account.signTypedData(typedData())
const signedHash = authorizationHash(separator, authorization)

const requirements = {
  scheme: "exact",
  network: network.caip2,
  amount: authorization.value,
  asset: network.asset,
  payTo,
  maxTimeoutSeconds: 120,
  extra: network.eip712
}
const resource = {
  url: "https://shop.example/x402/search",
  description: "Product search over two marketplaces",
  mimeType: "application/json"
}
const discovery = discoveryOf(
  { endpoint: Search.endpoint, documents: { ...resource, example: Search.example } },
  ""
)
const { extensions } = discovery
/** As the official client sends it: with everything that the challenge contains. */
const payment = {
  x402Version: 2,
  payload: { authorization, signature },
  extensions,
  resource,
  accepted: requirements
}
const header = btoa(JSON.stringify(payment))
const receipt = { success: true, transaction: nonce, network: network.caip2, payer: account.address }

const utf8 = new TextDecoder("utf-8", { fatal: true })
const encoder = new TextEncoder()
const plainText = (base64: string): string | undefined => {
  if (/[ \t\n\f\r]/.test(base64)) return undefined
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return utf8.decode(bytes)
}
const plainBase64 = (text: string): string => {
  let binary = ""
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

const interpretPayment = Schema.decodeUnknownOption(EvmPaymentPayload)
const compiledPayment = Schema.decodeUnknownOption(compiled(Schema.Union(EvmPaymentPayload.members)))
const tracked = sampleTrackResult("1Z999AA10123456784")
const interpretTrack = Schema.decodeUnknownResult(TrackResult)
const compiledTrack = Schema.decodeUnknownResult(compiled(Schema.Struct(TrackResult.fields)))

const platform = digestsBy(hash as Parameters<typeof digestsBy>[0])
const key = new Uint8Array(32).fill(7)
const mac = { plain: portableDigests.hmacOf(key), fast: platform.hmacOf(key) }
const digestText = `${account.address}\n${payTo}\n10000\n1700000000\n1700000120\n${nonce}\n${signature}`
const macText = `fingerprint\nGET /x402/search\n${JSON.stringify({ page: 2, q: "trail running shoes" })}`

const challengeOf = (url: string) => ({
  x402Version: 2,
  error: "Payment required",
  resource: { ...resource, url },
  accepts: [requirements, requirements],
  extensions
})
const fillBody = jsonTemplate(challengeOf)
const fillHeader = base64JsonTemplate(challengeOf)
const searchUrl = `${resource.url}?q=trail+running+shoes&page=2`

const respond = () => Promise.resolve(receipt)
const timeoutMillis = 5_000
const clock = await Effect.runPromise(Clock.clockWith(Effect.succeed))

export const twins: ReadonlyArray<Twin> = [
  {
    name: "recoverSigner (viem)",
    perCall: 1,
    plain: async (times) => {
      for (let index = 0; index < times; index++) sink = await recoverAddress({ hash: signedHash, signature })
    },
    fast: async (times) => {
      for (let index = 0; index < times; index++) sink = await recoverSigner(signedHash, signature)
    }
  },
  {
    name: "authorizationHash (viem's hashTypedData)",
    perCall: 1,
    plain: each(() => hashTypedData(typedData())),
    fast: each(() => authorizationHash(separator, authorization))
  },
  {
    name: "fromBase64, toText (bytes one by one)",
    perCall: 1,
    plain: each(() => plainText(header)),
    fast: each(() => toText(fromBase64(header)!))
  },
  {
    name: "toBinary (bytes one by one)",
    perCall: 2,
    plain: each(() => plainBase64(JSON.stringify(receipt))),
    fast: each(() => btoa(toBinary(JSON.stringify(receipt))))
  },
  {
    name: "compiled (interpreted schemas): payment, response",
    perCall: 1,
    plain: each(() => [interpretPayment(payment), interpretTrack(tracked)]),
    fast: each(() => [compiledPayment(payment), compiledTrack(tracked)])
  },
  {
    name: "Digests.sha256Hex (noble)",
    perCall: 1,
    plain: each(() => portableDigests.sha256Hex(digestText)),
    fast: each(() => platform.sha256Hex(digestText))
  },
  {
    name: "Digests.hmacOf (noble)",
    perCall: 1,
    plain: each(() => mac.plain(macText)),
    fast: each(() => mac.fast(macText))
  },
  {
    name: "jsonTemplate (JSON.stringify), an unpaid search",
    perCall: 1,
    plain: each(() => [
      JSON.stringify(challengeOf(searchUrl)),
      plainBase64(JSON.stringify(challengeOf(searchUrl)))
    ]),
    fast: each(() => [fillBody(searchUrl), fillHeader(searchUrl)])
  },
  {
    name: "schedule (a fiber that sleeps)",
    perCall: 3,
    plain: each(() => {
      const fiber = Effect.runFork(Effect.sleep(timeoutMillis))
      fiber.addObserver(() => undefined)
      fiber.interruptUnsafe()
    }),
    fast: each(() => schedule(clock, timeoutMillis, () => undefined)())
  },
  {
    name: "callWithTimeout (tryPromise, timeoutOrElse, matchEffect)",
    perCall: 3,
    plain: eachEffect(
      Effect.tryPromise(respond).pipe(
        Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.die("timeout") }),
        Effect.matchEffect({ onFailure: Effect.die, onSuccess: Effect.succeed })
      )
    ),
    fast: eachEffect(
      callWithTimeout({
        timeoutMillis,
        call: respond,
        onResponse: Effect.succeed,
        onThrow: Effect.die,
        onTimeout: () => Effect.die("timeout")
      })
    )
  },
  {
    name: "spanned (Effect.fn with a name), without a tracer",
    perCall: 1,
    plain: eachEffect(Effect.suspend(() => withName())),
    fast: eachEffect(Effect.suspend(() => spanned(Effect.void, "search", { source: "a" })))
  }
]

/** Keeps `sink` alive. */
export const lastResult = (): unknown => sink
