import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Act } from "../books/act.ts"
import type { List } from "../books/lists.ts"
import type { Shown } from "../books/show.ts"
import { WrongUsage } from "../CommandFailed.ts"
import {
  acting,
  email,
  filtersOf,
  format,
  isSet,
  maxLimit,
  paging,
  paidBy,
  place,
  span,
  spanOf,
  status,
  statusOf,
  text
} from "./bookFlags.ts"
import { json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"
import { type Placed, withRecords } from "./withRecords.ts"

/*
 * Commands for operators, with the filters and actions of the console. What they do is loaded once one runs.
 */

type Lists = typeof import("../books/lists.ts")

interface Paged extends Placed {
  readonly limit: number
  readonly before: Option.Option<string>
  readonly json: boolean
}

/** Lists what `pick` names, with filters. */
const list = <Filters extends { readonly limit?: number }, Item>(
  surroundings: Surroundings,
  input: Paged,
  pick: (lists: Lists) => List<Filters, Item>,
  filtersOfInput: () => NoInfer<Filters>
) =>
  work(async () => {
    const { before, json: isJson, limit } = input
    if (limit < 1 || limit > maxLimit) throw new WrongUsage(`--limit must be 1 to ${maxLimit}`)
    const filters = filtersOfInput()
    const query = { filters, limit, before: Option.getOrUndefined(before), json: isJson }
    const lists = await import("../books/lists.ts")
    return withRecords(surroundings, input, ({ read }) =>
      read((calls) => lists.printList(pick(lists), query, calls, surroundings.output))
    )
  })

const show = (surroundings: Surroundings, what: Shown, metavar: string) =>
  Command.make("show", { id: Argument.String(metavar), ...place, json }, (input) =>
    work(async () => {
      const { showRecord } = await import("../books/show.ts")
      const shown = { json: input.json, output: surroundings.output }
      return withRecords(surroundings, input, ({ read }) =>
        read((calls) => showRecord(calls, what, input.id, shown))
      )
    })
  ).pipe(Command.withDescription(`Shows one ${what}`))

interface Acting extends Placed {
  readonly yes: boolean
  readonly by: Option.Option<string>
  readonly json: boolean
}

/** Acts: the name, the subject and the texts are those of the console's action. */
const perform = (
  surroundings: Surroundings,
  { by, json: isJson, yes, ...input }: Acting,
  action: Pick<Act, "name" | "subject" | "given">
) =>
  work(async (now) => {
    const { checkAct, performAct } = await import("../books/act.ts")
    const act = { ...action, yes, json: isJson, by: Option.getOrUndefined(by) }
    checkAct(act, Option.isSome(input.module), surroundings)
    return withRecords(surroundings, input, (records) => performAct(act, { records, surroundings, now }))
  })

const changing = { ...place, ...acting, json }
const orderId = Argument.String("ORDER")
const transactionArgument = Argument.String("TRANSACTION").pipe(
  Argument.withDescription("The one by which you sent it")
)

/** An action of an order by its id alone. */
const orderAction = (surroundings: Surroundings, name: string, action: string, description: string) =>
  Command.make(name, { id: orderId, ...changing }, ({ id, ...input }) =>
    perform(surroundings, input, { name: `orders.${action}`, subject: id, given: {} })
  ).pipe(Command.withDescription(description))

const orderActions = (surroundings: Surroundings) =>
  [
    orderAction(surroundings, "process-now", "processNow", "Takes its next step, or tries its refund, now"),
    orderAction(surroundings, "retry", "retry", "Places it again, since it was not placed"),
    Command.make(
      "resolve",
      {
        id: orderId,
        reference: Argument.String("REFERENCE").pipe(Argument.withDescription("That of the upstream")),
        ...changing
      },
      ({ id, reference, ...input }) =>
        perform(surroundings, input, { name: "orders.resolve", subject: id, given: { reference } })
    ).pipe(Command.withDescription("Tracks it by the upstream's reference, since it was placed")),
    orderAction(surroundings, "mark-delivered", "markDelivered", "Ends it as delivered, without a refund"),
    Command.make(
      "cancel",
      { id: orderId, reason: text("reason", "WORDS", "For the refund's mail"), ...changing },
      ({ id, reason, ...input }) =>
        perform(surroundings, input, {
          name: "orders.cancel",
          subject: id,
          given: { reason: Option.getOrElse(reason, () => "") }
        })
    ).pipe(Command.withDescription("Ends it and refunds its payment")),
    Command.make(
      "mark-refunded",
      { id: orderId, transaction: transactionArgument, ...changing },
      ({ id, transaction, ...input }) =>
        perform(surroundings, input, { name: "orders.markRefunded", subject: id, given: { transaction } })
    ).pipe(Command.withDescription("Records a refund that you sent"))
  ] as const

const ordersCommand = (surroundings: Surroundings) =>
  Command.make("orders").pipe(
    Command.withDescription("Lists, shows, corrects and exports orders"),
    Command.withSubcommands([
      Command.make(
        "list",
        { status, email, item: text("item", "ITEM", "Of this ASIN or page"), ...paidBy, ...place, ...paging },
        ({ email: ofEmail, item, payer, status: ofStatus, transaction, ...input }) =>
          list(
            surroundings,
            input,
            (lists: Lists) => lists.orders,
            () => filtersOf({ email: ofEmail, item, payer, status: statusOf(ofStatus), transaction })
          )
      ).pipe(Command.withDescription("Lists orders, newest first")),
      show(surroundings, "order", "ORDER"),
      ...orderActions(surroundings),
      Command.make(
        "export",
        { format, status, personal: isSet("personal", "With emails and addresses"), ...place },
        (input) =>
          work(async () => {
            const { writeExport } = await import("../books/money.ts")
            const query = {
              format: input.format,
              personal: input.personal,
              ...filtersOf({ status: statusOf(input.status) })
            }
            return withRecords(surroundings, input, ({ read }) =>
              read(({ orders }) => writeExport(orders.export(query), surroundings.output))
            )
          })
      ).pipe(Command.withDescription("Exports all orders, or those of a status"))
    ])
  )

const state = Flag.Literals("state", ["claimed", "ready", "settled", "voided"]).pipe(
  Flag.withMetavar("STATE"),
  Flag.withDescription("In this state"),
  Flag.optional
)

const chargesCommand = (surroundings: Surroundings) =>
  Command.make("charges").pipe(
    Command.withDescription("Lists and shows payments for requests"),
    Command.withSubcommands([
      Command.make(
        "list",
        {
          state,
          ...paidBy,
          paymentId: text("payment-id", "ID", "Named so by the client"),
          ...place,
          ...paging
        },
        ({ payer, paymentId, state: inState, transaction, ...input }) =>
          list(
            surroundings,
            input,
            (lists: Lists) => lists.charges,
            () => filtersOf({ payer, paymentId, state: inState, transaction })
          )
      ).pipe(Command.withDescription("Lists charges, newest first")),
      show(surroundings, "charge", "CHARGE"),
      Command.make(
        "record-refund",
        { key: Argument.String("CHARGE"), transaction: transactionArgument, ...changing },
        ({ key, transaction, ...input }) =>
          perform(surroundings, input, { name: "charges.recordRefund", subject: key, given: { transaction } })
      ).pipe(Command.withDescription("Records a refund that you sent"))
    ])
  )

const refundsCommand = (surroundings: Surroundings) =>
  Command.make("refunds").pipe(
    Command.withDescription("Lists what is owed; stops and resumes refunds"),
    Command.withSubcommands([
      Command.make("due", { ...place, ...paging }, (input) =>
        list(
          surroundings,
          input,
          (lists: Lists) => lists.dueRefunds,
          () => ({})
        )
      ).pipe(Command.withDescription("Lists refunds that are due, newest first")),
      Command.make("status", { ...place, json }, (input) =>
        work(async () => {
          const { refundStatus } = await import("../books/money.ts")
          const shown = { json: input.json, output: surroundings.output }
          return withRecords(surroundings, input, ({ read }) => read((calls) => refundStatus(calls, shown)))
        })
      ).pipe(Command.withDescription("Says whether refunds are stopped, and why")),
      Command.make("stop", { reason: Argument.String("REASON"), ...changing }, ({ reason, ...input }) =>
        perform(surroundings, input, { name: "refunds.stop", subject: undefined, given: { reason } })
      ).pipe(Command.withDescription("Stops refunds in every process, at once")),
      Command.make("resume", changing, (input) =>
        perform(surroundings, input, { name: "refunds.resume", subject: undefined, given: {} })
      ).pipe(Command.withDescription("Sends refunds that are due again"))
    ])
  )

const purchasesCommand = (surroundings: Surroundings) =>
  Command.make("purchases").pipe(
    Command.withDescription("Lists and shows sales of the vault"),
    Command.withSubcommands([
      Command.make(
        "list",
        { email, slug: text("item", "SLUG", "Of this item"), ...paidBy, ...place, ...paging },
        ({ email: ofEmail, payer, slug, transaction, ...input }) =>
          list(
            surroundings,
            input,
            (lists: Lists) => lists.purchases,
            () => filtersOf({ email: ofEmail, payer, slug, transaction })
          )
      ).pipe(Command.withDescription("Lists purchases, newest first")),
      show(surroundings, "purchase", "PURCHASE")
    ])
  )

const ledgerCheck = (surroundings: Surroundings) =>
  Command.make(
    "check",
    { ...span, chain: isSet("chain", "Also reads the chain; takes --config"), ...place, json },
    (input) =>
      work(async () => {
        if (input.chain && Option.isNone(input.module))
          throw new WrongUsage("--chain takes the till: give --config MODULE")
        const query = { ...spanOf(input), chain: input.chain }
        const { checkLedger } = await import("../books/money.ts")
        const shown = { json: input.json, output: surroundings.output }
        return withRecords(surroundings, input, ({ operate, read }) =>
          (input.chain ? operate : read)((calls) => checkLedger(calls, query, shown))
        )
      })
  ).pipe(Command.withDescription("Compares charges and ledger; 1 if they disagree"))

const ledgerCommand = (surroundings: Surroundings) =>
  Command.make("ledger").pipe(
    Command.withDescription("Lists, sums, checks and exports the ledger"),
    Command.withSubcommands([
      Command.make("list", { ...span, ...place, ...paging }, ({ day, from, to, ...input }) =>
        list(
          surroundings,
          input,
          (lists: Lists) => lists.entries,
          () => spanOf({ day, from, to })
        )
      ).pipe(Command.withDescription("Lists entries, newest first")),
      Command.make("totals", { ...span, ...place, json }, (input) =>
        work(async (now) => {
          const { from = new Date(0), to = new Date(now()) } = spanOf(input)
          const { ledgerTotals } = await import("../books/money.ts")
          const shown = { json: input.json, output: surroundings.output }
          return withRecords(surroundings, input, ({ read }) =>
            read((calls) => ledgerTotals(calls, { from, to }, shown))
          )
        })
      ).pipe(Command.withDescription("Sums by day, call and kind")),
      ledgerCheck(surroundings),
      Command.make("export", { format, ...span, ...place }, (input) =>
        work(async () => {
          const query = { format: input.format, ...spanOf(input) }
          const { writeExport } = await import("../books/money.ts")
          return withRecords(surroundings, input, ({ read }) =>
            read(({ ledger }) => writeExport(ledger.export(query), surroundings.output))
          )
        })
      ).pipe(Command.withDescription("Exports entries, newest first"))
    ])
  )

/** Commands for operators: what a till sold, owes and sent back. */
export const bookCommands = (surroundings: Surroundings) =>
  [
    ordersCommand(surroundings),
    chargesCommand(surroundings),
    refundsCommand(surroundings),
    purchasesCommand(surroundings),
    ledgerCommand(surroundings)
  ] as const
