import type { OperatorCalls, Till } from "@till402/core"

/**
 * What the console shows: a till, or the books of one (`Till.books`), which have no live calls, health, routes and
 * settings. The console has no other query.
 */
export type ConsoleSource = OperatorCalls &
  Partial<Pick<Till, "payments" | "health" | "reconcile" | "handles" | "settings" | "fetch" | "dnsRecord">>
