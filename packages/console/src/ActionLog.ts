/** One action of an operator. */
export interface ActionEntry {
  readonly at: Date
  /** The name that `authorize` gave, or the role. */
  readonly who: string
  /** `orders.cancel`, `refunds.stop`, … */
  readonly action: string
  /** The order, charge or purchase. */
  readonly subject: string | undefined
  /** What the operator typed: a reason, a reference, a transaction. */
  readonly given: Readonly<Record<string, string>>
  /** `done`, or why nothing was changed. */
  readonly outcome: string
}

const capacity = 500

/** The latest actions through this console, the newest first. The host keeps them for good by `onAction`. */
export class ActionLog {
  private readonly entries: Array<ActionEntry> = []
  private readonly onAction: (entry: ActionEntry) => void | Promise<void>

  constructor(onAction: (entry: ActionEntry) => void | Promise<void>) {
    this.onAction = onAction
  }

  get latest(): ReadonlyArray<ActionEntry> {
    return this.entries
  }

  /** Resolves once the host has the entry. Rejects as the host's function does. */
  async add(entry: ActionEntry): Promise<void> {
    this.entries.unshift(entry)
    if (this.entries.length > capacity) this.entries.pop()
    await this.onAction(entry)
  }
}

/** An action as one line of JSON, for a log. */
export const actionLine = (entry: ActionEntry): string => JSON.stringify({ till402: "action", ...entry })

/** Prints an action as one line of JSON on standard error. */
export const toStandardError = (entry: ActionEntry): void => {
  console.error(actionLine(entry))
}
