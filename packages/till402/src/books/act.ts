import { userInfo } from "node:os"
import type { DueRefund } from "@till402/core"
import {
  actionLine,
  actions,
  type ConsoleSource,
  dollars,
  networkName,
  outcomeOf,
  outcomeText
} from "@till402/console/operate"
import { WrongUsage } from "../CommandFailed.ts"
import type { Surroundings } from "../commands/Surroundings.ts"
import { labelled } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import type { Records } from "./open.ts"
import { chargeFacts, existing, type Fact, factLines, orderFacts } from "./show.ts"
import { jsonText } from "./text.ts"

/** An action of the console, by its name there, as a command line gives it. */
export interface Act {
  readonly name: string
  /** The order or charge. */
  readonly subject: string | undefined
  readonly given: Readonly<Record<string, string>>
  readonly yes: boolean
  readonly json: boolean
  /** The name for the log. */
  readonly by: string | undefined
}

/** Stopping refunds keeps money where it is, and may be urgent. */
const asks = ({ name }: Act): boolean => name !== "refunds.stop"

/** Checked before anything is opened: a script would wait forever for an answer. */
export const checkAct = (act: Act, hasModule: boolean, { ask }: Surroundings): void => {
  const { subject, title } = actions[act.name]!
  if (subject === "order" && !hasModule)
    throw new WrongUsage(
      "orders are changed by a till: give --config MODULE, which exports the options of your server"
    )
  if (asks(act) && !act.yes && ask === undefined)
    throw new WrongUsage(`"${title}" asks before it acts, and there is no terminal: add --yes to act at once`)
}

const maxDue = 200

const sumOf = (due: ReadonlyArray<DueRefund>): string =>
  dollars(due.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n))

/** What is there to be acted on, with the money that may move. */
const subjectFacts = async (calls: ConsoleSource, { name, subject }: Act): Promise<ReadonlyArray<Fact>> => {
  if (subject === undefined) {
    const due = await calls.refunds.due({ limit: maxDue })
    const count = due.length < maxDue ? String(due.length) : `the newest ${maxDue}`
    return [["refunds", `${count} due, ${sumOf(due)} together`]]
  }
  if (actions[name]!.subject === "charge")
    return chargeFacts(existing(await calls.charges.find(subject), "charge", subject))
  const order = existing(await calls.orders.find(subject), "order", subject)
  const charge = await calls.charges.find(order.chargeKey)
  const facts = orderFacts(order, charge).filter(([label]) => label !== "charge")
  if (charge === undefined) return facts
  const { amountAtomic, network, payer } = charge
  return [...facts, ["paid", `${dollars(amountAtomic)} on ${networkName(network)}, by ${payer}`]]
}

const isConfirmed = async (
  act: Act,
  facts: ReadonlyArray<Fact>,
  { ask, output }: Surroundings
): Promise<boolean> => {
  const { consequence, title } = actions[act.name]!
  const given = Object.entries(act.given).filter(([, text]) => text !== "")
  for (const line of [...factLines(facts), ...factLines(given), ...labelled("then", consequence)])
    output.note(line)
  if (act.yes || !asks(act)) return true
  return /^y(?:es)?$/i.test((await ask!(`${title}? [y/N] `)).trim())
}

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may have no name for its user.
    return "command"
  }
}

/** Prints what an action changes, asks, acts, and logs who, what and when. */
export const performAct = async (
  act: Act,
  {
    now,
    records,
    surroundings
  }: { readonly records: Records; readonly surroundings: Surroundings; readonly now: () => number }
): Promise<number> => {
  const { output } = surroundings
  const action = actions[act.name]!
  const facts = await records.read((calls) => subjectFacts(calls, act))
  if (!(await isConfirmed(act, facts, surroundings))) {
    output.note("Nothing was changed.")
    return 1
  }
  const use = action.subject === "order" ? records.operate : records.write
  const outcome = await use((calls) => outcomeOf(action, calls, act.subject ?? "", act.given))
  const { given, name, subject } = act
  const entry = { at: new Date(now()), who: act.by ?? userName(), action: name, subject, given, outcome }
  output.note(actionLine(entry))
  if (act.json) output.print(jsonText(entry))
  else if (outcome === "done") output.print(outcomeText(outcome, name))
  else output.note(harmless(outcomeText(outcome, name), 2_000))
  return outcome === "done" ? 0 : 1
}
