import type { ChargeSummary, Order } from "@till402/core"

/* How values are shown: the same on every page, and by the command. Times are UTC. */

/** Digits in groups of three: `12040` → `12,040`. */
export const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

/** Dollars with two to six decimals: `520000n` → `$0.52`. */
export const dollars = (atomic: bigint): string => {
  const sign = atomic < 0n ? "-" : ""
  const positive = atomic < 0n ? -atomic : atomic
  const fraction = (positive % 1_000_000n)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")
  return `${sign}$${grouped((positive / 1_000_000n).toString())}.${fraction}`
}

/** An address, hash or id by its ends. */
export const short = (text: string): string =>
  text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text

export const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/** The start of a day, `2026-11-29`; `undefined` for a text that is none, and for a day that no calendar has. */
export const startOfDay = (text: string): Date | undefined => {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined
  // `new Date` reads February 31 as March 3.
  return date !== undefined && !Number.isNaN(date.getTime()) && dayOf(date) === text ? date : undefined
}

export const clockOf = (date: Date): string => date.toISOString().slice(11, 19)

/** `2026-11-29 14:03:22` */
export const momentOf = (date: Date): string => `${dayOf(date)} ${clockOf(date)}`

/** A number of things: `1 payment`, `12,040 payments`. */
export const count = (number: number, noun: string): string =>
  `${grouped(String(number))} ${noun}${number === 1 ? "" : "s"}`

/** `vaultBuy` → `vault buy`, `needs_operator` → `needs operator`. */
export const words = (name: string): string =>
  name
    .replaceAll(/[_.]/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()

/** A text as a label: `refund due` → `Refund due`. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What each state of a charge is called. */
export const chargeStates: Readonly<Record<ChargeSummary["state"], string>> = {
  claimed: "Working",
  ready: "Settling",
  settled: "Paid",
  voided: "Not charged"
}

/** A charge's state in a word, or its refund's. */
export const chargeState = ({ refund, state }: Pick<ChargeSummary, "refund" | "state">): string =>
  refund === undefined ? chargeStates[state] : refund === "due" ? "Refund due" : "Refunded"

/** An order's status in a word: `needs_operator` → `Needs operator`. */
export const orderStatus = (status: Order["status"]): string => sentence(words(status))

/** Where an order is delivered, in one line. */
export const addressText = ({ shippingAddress }: Pick<Order, "shippingAddress">): string => {
  if (shippingAddress === undefined) return "erased"
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = shippingAddress
  return [name, line1, line2, city, `${state} ${postalCode}`, country, phone]
    .filter((part) => part !== "")
    .join(", ")
}

const networkNames: Readonly<Record<string, string>> = {
  "eip155:1": "Ethereum",
  "eip155:8453": "Base",
  "eip155:84532": "Base Sepolia",
  "eip155:137": "Polygon",
  "eip155:43114": "Avalanche",
  "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "Solana",
  "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1": "Solana Devnet"
}

export const networkName = (caip2: string): string => networkNames[caip2] ?? caip2

/** The payer's wallet in a charge's key, `chain:asset:payer:nonce`. */
export const payerOfKey = (key: string): string => key.split(":")[3] ?? key
