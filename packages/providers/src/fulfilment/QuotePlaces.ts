import { TemporarilyUnavailable } from "@till402/core"

/*
 * The places that a shop has for unpaid quotes. Anybody can request a quote: so one client has a tenth of the places at
 * most, and half is reserved for new clients.
 */

/** Unpaid quotes that a shop holds at once, by default. */
export const defaultMaxOpenQuotes = 2_500
/** The most that a host can set. */
export const mostOpenQuotes = 25_000
/** A client is new while it has fewer open quotes than this. */
const newcomerQuotes = 3

const refusals = {
  Client:
    "Too many of your quotes are unpaid. Nothing was ordered. Pay one, or request the quote again later.",
  Shop: "The shop has too many unpaid quotes. Nothing was ordered. Request the quote again later."
}

/** An unpaid quote in the shop. */
export interface OpenQuote {
  readonly id: string
  /** `undefined` if the client isn't known. */
  readonly client: string | undefined
  readonly removedAfter: number
}

/** The unpaid quotes of one process, and those that it is about to create. */
export class QuotePlaces {
  /** Oldest first. */
  private readonly open: Array<OpenQuote> = []
  private readonly byClient = new Map<string | undefined, number>()
  private inAll = 0
  private readonly max: number

  constructor(maxOpenQuotes: number) {
    this.max = maxOpenQuotes
  }

  /** Takes a place for a quote that is about to be created; returns the refusal if there is none. */
  take(client: string | undefined, nowMillis: number): TemporarilyUnavailable | undefined {
    const full = this.fullFor(client)
    if (full === undefined) {
      this.count(client, 1)
      return undefined
    }
    const oldest = full === "Shop" ? this.open[0] : this.open.find((quote) => quote.client === client)
    const seconds = oldest === undefined ? 1 : Math.ceil((oldest.removedAfter - nowMillis) / 1_000)
    return new TemporarilyUnavailable({
      message: refusals[full],
      retryAfterSeconds: Math.max(1, seconds)
    })
  }

  /** Gives a place back whose quote was not created. */
  giveBack(client: string | undefined): void {
    this.count(client, -1)
  }

  /** Records the quote that took a place. */
  hold(quote: OpenQuote): void {
    this.open.push(quote)
  }

  /** Frees the place of a quote, if it has one. */
  free(id: string): void {
    const at = this.open.findIndex((quote) => quote.id === id)
    if (at !== -1) this.takeOut(at, 1)
  }

  /** Frees the places of quotes that are to be removed, up to a number; returns them, oldest first. */
  freeExpired(nowMillis: number, many: number): ReadonlyArray<OpenQuote> {
    const first = this.open.slice(0, many)
    const firstKept = first.findIndex(({ removedAfter }) => removedAfter > nowMillis)
    return this.takeOut(0, firstKept === -1 ? first.length : firstKept)
  }

  private takeOut(from: number, many: number): ReadonlyArray<OpenQuote> {
    const taken = this.open.splice(from, many)
    for (const { client } of taken) this.count(client, -1)
    return taken
  }

  private count(client: string | undefined, change: 1 | -1): void {
    const quotes = (this.byClient.get(client) ?? 0) + change
    if (quotes === 0) this.byClient.delete(client)
    else this.byClient.set(client, quotes)
    this.inAll += change
  }

  /** What is full for a client; `undefined` if there is room. */
  private fullFor(client: string | undefined): keyof typeof refusals | undefined {
    const quotes = this.byClient.get(client) ?? 0
    const isKnown = client !== undefined
    if (isKnown && quotes >= Math.ceil(this.max / 10)) return "Client"
    const room = isKnown && quotes < newcomerQuotes ? this.max : Math.ceil(this.max / 2)
    return this.inAll >= room ? "Shop" : undefined
  }
}
