import type { Payer } from "./rails/Rail.ts"
import type { Randomness } from "./Randomness.ts"
import { vaultItem } from "./Shop.ts"
import { readSignedPayment, type SignedPayment } from "./SignedPayment.ts"

export type OperationName = "search" | "track" | "buy" | "vaultBuy" | "download"

/** A complete response to a paid request. */
export interface ReceivedResponse {
  readonly status: number
  /** The body's bytes in base64. */
  readonly body: string
  /** Content type, `retry-after` and payment headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** When it arrived: milliseconds since the epoch. */
  readonly atMillis: number
}

/** One call of the official client: at most one payment, sent as often as necessary. */
export interface Attempt {
  readonly operation: OperationName
  /** Unique email of this attempt, which identifies its effects. */
  readonly email: string
  readonly payer: string
  /** The signed payment, once it exists. */
  payment: (SignedPayment & { readonly request: Request }) | undefined
  /** Final responses, one per copy sent. */
  readonly responses: Array<ReceivedResponse>
  /** How often a paid request was cut off, and how often the response requested a retry of the same payment. */
  cutOff: number
  sentAgain: number
  /** An error of the client itself. */
  failure: string | undefined
}

/** The servers as a client sees them: some are down at times. */
export interface Servers {
  /** The origin of a server that is listed as running; waits for one. */
  readonly origin: (randomness: Randomness) => Promise<string>
  /** When a client without a final response gives up: milliseconds since the epoch. */
  readonly patienceEndsAtMillis: () => number
}

export interface BuyerOptions {
  readonly payer: Payer
  readonly name: string
  readonly baseUrl: string
  readonly servers: Servers
  readonly randomness: Randomness
  /** How often a second copy of a payment is sent before the first gets its response, from 0 to 1. */
  readonly impatience: number
  /** Receives every attempt as it starts. */
  readonly attempts: Array<Attempt>
  /** What it buys, besides downloads; default: search, orders and vault items. */
  readonly choices?: readonly [Choice, ...ReadonlyArray<Choice>]
  /** Maximum pause between two attempts, in milliseconds; default 10. */
  readonly pauseMillis?: number
  /** Receives every attempt as it ends. */
  readonly onEnd?: (attempt: Attempt) => void
}

type Choice = Exclude<OperationName, "download">

export interface Buyer {
  /** Buys repeatedly until stopped, then resolves. */
  readonly run: (isStopping: () => boolean) => Promise<void>
}

const sendMillis = 25_000
/** Responses that request a retry of the same payment: in progress, too many at once, settlement pending. */
const again: ReadonlySet<number> = new Set([409, 429, 503])

/** Work that was paid for failed: whatever its status, the response has the caller send the same payment again. */
const isOwed = ({ body, headers }: ReceivedResponse): boolean =>
  headers["content-type"] === "application/json" &&
  /"owedUntil":"/.test(Buffer.from(body, "base64").toString("utf8"))

/** Pause that a response asks for; a few tries only are free. */
const pauseOf = (reply: ReceivedResponse | undefined, randomness: Randomness): number =>
  reply !== undefined && isOwed(reply)
    ? Number(reply.headers["retry-after"] ?? 0) * 1_000
    : randomness.between(20, 120)

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const reachable = (request: Request, baseUrl: string, origin: string): Request =>
  new Request(request.url.replace(new URL(baseUrl).origin, origin), request)

const readReply = async (response: Response): Promise<ReceivedResponse> => ({
  status: response.status,
  body: Buffer.from(await response.arrayBuffer()).toString("base64"),
  headers: Object.fromEntries(
    [...response.headers].filter(
      ([name]) => name === "content-type" || name === "retry-after" || name.startsWith("payment-")
    )
  ),
  atMillis: Date.now()
})

/** Resends a request, byte for byte, to any running server until its response is final. */
export const sendUntilFinal = async (
  request: Request,
  options: Pick<BuyerOptions, "baseUrl" | "randomness" | "servers">,
  note: { cutOff: number; sentAgain: number }
): Promise<ReceivedResponse> => {
  for (;;) {
    const origin = await options.servers.origin(options.randomness)
    let reply: ReceivedResponse | undefined
    try {
      const response = await fetch(reachable(request.clone(), options.baseUrl, origin), {
        signal: AbortSignal.timeout(sendMillis)
      })
      reply = await readReply(response)
    } catch {
      // Refused, reset or silent: the server died before or after it received the payment.
      note.cutOff++
    }
    if (reply !== undefined && !again.has(reply.status) && !isOwed(reply)) return reply
    if (reply !== undefined) note.sentAgain++
    const patientMillis = options.servers.patienceEndsAtMillis() - Date.now()
    if (patientMillis < 0) throw new Error(`no final response; last: ${reply?.status ?? "connection lost"}`)
    await sleep(Math.min(pauseOf(reply, options.randomness), patientMillis))
  }
}

const toResponse = ({ body, headers, status }: ReceivedResponse): Response =>
  new Response(Buffer.from(body, "base64"), { status, headers })

const paymentOf = (request: Request): NonNullable<Attempt["payment"]> | undefined => {
  const header = request.headers.get("payment-signature")
  if (header === null) return undefined
  return { ...readSignedPayment(header), request: request.clone() }
}

/** The `fetch` below the official client: keeps the signed payment and resends it, never a new one. */
const persistentFetch =
  (attempt: Attempt, options: BuyerOptions): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const payment = paymentOf(request)
    // The price request is also retried until it succeeds.
    if (payment === undefined) {
      return toResponse(await sendUntilFinal(request, options, { cutOff: 0, sentAgain: 0 }))
    }
    if (attempt.payment !== undefined) throw new Error("the client signed a second payment")
    attempt.payment = payment
    // Impatient clients send a copy before the first gets its response; both must get the same one.
    const copies = options.randomness.chance(options.impatience) ? 2 : 1
    const responses = await Promise.all(
      Array.from({ length: copies }, () => sendUntilFinal(request, options, attempt))
    )
    attempt.responses.push(...responses)
    return toResponse(responses.find(({ status }) => status === 200) ?? responses[0]!)
  }

interface Purchase {
  readonly purchaseId: string
  readonly downloadToken: string
}

const post = (url: string, body: unknown): Request =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const address = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

const requestFor = (
  operation: OperationName,
  { baseUrl }: BuyerOptions,
  email: string,
  purchase: Purchase | undefined
): Request => {
  switch (operation) {
    case "search":
      return new Request(`${baseUrl}/x402/search?q=${encodeURIComponent(email)}`)
    case "track":
      return new Request(`${baseUrl}/x402/track?number=1Z999AA10123456784`)
    case "buy":
      return post(`${baseUrl}/x402/buy`, { asin: "B000000001", email, shippingAddress: address })
    case "vaultBuy":
      return post(`${baseUrl}/x402/vault/buy`, {
        slug: vaultItem.slug,
        walletAddress: "11111111111111111111111111111111",
        email
      })
    case "download":
      return new Request(
        `${baseUrl}/x402/vault/download/${purchase!.purchaseId}?downloadToken=${purchase!.downloadToken}`
      )
  }
}

/** A customer with the official client, buying one thing after another. */
export const makeBuyer = (options: BuyerOptions): Buyer => {
  const { attempts, name, onEnd, pauseMillis = 10, payer, randomness } = options
  const choices = options.choices ?? (["search", "buy", "buy", "vaultBuy", "vaultBuy"] as const)
  let purchase: Purchase | undefined

  const attemptOnce = async (number: number): Promise<void> => {
    const operation = purchase !== undefined && randomness.chance(0.5) ? "download" : randomness.pick(choices)
    const email = `${name}-${number}@example.com`
    const attempt: Attempt = {
      operation,
      email,
      payer: payer.address,
      payment: undefined,
      responses: [],
      cutOff: 0,
      sentAgain: 0,
      failure: undefined
    }
    attempts.push(attempt)
    const pay = payer.paying(persistentFetch(attempt, options))
    try {
      const response = await pay(requestFor(operation, options, email, purchase))
      if (attempt.payment === undefined) {
        attempt.failure = `got ${response.status} before anything was paid`
      }
      if (operation === "download") purchase = undefined
      if (operation === "vaultBuy" && response.status === 200) purchase = (await response.json()) as Purchase
    } catch (error) {
      attempt.failure = error instanceof Error ? error.message : String(error)
    }
    onEnd?.(attempt)
  }

  return {
    run: async (isStopping) => {
      for (let number = 1; !isStopping(); number++) {
        await attemptOnce(number)
        await sleep(randomness.between(0, pauseMillis))
      }
    }
  }
}
