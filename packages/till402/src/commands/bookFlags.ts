import { Option } from "effect"
import { Flag } from "effect/cli"
import { WrongUsage } from "../CommandFailed.ts"
import type { Span } from "../books/lists.ts"
import { database, json } from "./flags.ts"

/*
 * Options of operators' commands.
 */

export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const isSet = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const place = { database, module: text("config", "MODULE", "Exports your till or its options") }

export const maxLimit = 1_000

export const paging = {
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`Records of a page, 1 to ${maxLimit} (default 50)`),
    Flag.withDefault(50)
  ),
  before: text("before", "LAST", "Begins after the last one of a page"),
  json
}

export const paidBy = {
  payer: text("payer", "ADDRESS", "Paid by this wallet"),
  transaction: text("transaction", "HASH", "Paid by this transaction")
}

export const email = text("email", "EMAIL", "With this email, in any letter case")

export const span = {
  day: text("day", "DAY", "One day in UTC, as 2026-11-29"),
  from: text("from", "TIME", "Earliest time: a day, or ISO 8601 in UTC"),
  to: text("to", "TIME", "First time after it")
}

export const format = Flag.Literals("format", ["csv", "json"]).pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("csv (default) or json"),
  Flag.withDefault("csv" as const)
)

export const acting = {
  yes: isSet("yes", "Acts without asking"),
  by: text("by", "NAME", "Who acts, for the log (default: your user)")
}

const orderStatuses = [
  "awaiting_payment",
  "processing",
  "placing",
  "placed",
  "shipped",
  "delivered",
  "needs_operator",
  "failed",
  "cancelled",
  "refund_due",
  "refunded",
  "abandoned"
] as const

type Status = (typeof orderStatuses)[number]

/** No flag of literals: its help would list them on one line. */
export const status = text("status", "STATUS", "In this status, such as needs_operator")

const isStatus = (given: string): given is Status => orderStatuses.some((known) => known === given)

export const statusOf = (given: Option.Option<string>): Option.Option<Status> =>
  Option.map(given, (name) => {
    if (isStatus(name)) return name
    throw new WrongUsage(`--status must be one of ${orderStatuses.join(", ")}`)
  })

/** The filters that are given. */
export const filtersOf = <Filters extends object>(given: {
  readonly [Name in keyof Filters]: Option.Option<Filters[Name]>
}): Partial<Filters> =>
  Object.fromEntries(
    Object.entries<Option.Option<unknown>>(given).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value]] : []
    )
  ) as Partial<Filters>

const dayMillis = 86_400_000

const timeOf = (option: Option.Option<string>, name: string): Date | undefined => {
  if (Option.isNone(option)) return undefined
  const isWritten = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/.test(option.value)
  const time = new Date(option.value)
  // JavaScript takes the 31st of a shorter month as a day of the next.
  if (!isWritten || Number.isNaN(time.getTime()) || !time.toISOString().startsWith(option.value.slice(0, 10)))
    throw new WrongUsage(`${name} must be a day, as 2026-11-29, or a time, as 2026-11-29T14:00Z`)
  return time
}

/** The span of `--day`, or of `--from` and `--to`. */
export const spanOf = (given: {
  readonly [Name in "day" | "from" | "to"]: Option.Option<string>
}): Span => {
  const day = timeOf(given.day, "--day")
  const [from, to] = [timeOf(given.from, "--from"), timeOf(given.to, "--to")]
  if (day !== undefined) {
    if (from !== undefined || to !== undefined) throw new WrongUsage("give either --day, or --from and --to")
    const start = new Date(day.toISOString().slice(0, 10))
    return { from: start, to: new Date(start.getTime() + dayMillis) }
  }
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
