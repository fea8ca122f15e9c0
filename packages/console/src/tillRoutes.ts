import { type ConsoleApp, isHead } from "./ConsoleApp.ts"
import type { ConsoleSource } from "./ConsoleSource.ts"
import { askedTill, readListing } from "./listing/Listing.ts"
import { configurationPage } from "./pages/configuration.ts"
import { listingPage } from "./pages/listing.ts"
import { healthPage } from "./pages/overview.ts"
import { Shared } from "./Shared.ts"

/** A reading of the documents, which the till makes anew for each. */
const listingMillis = 10_000
/** A call of each route, which counts as a 402. */
const callsMillis = 60_000

/** The routes of what a running till is: its listing, health and configuration. */
export const tillRoutes = (
  app: ConsoleApp,
  { now, till }: { readonly till: ConsoleSource; readonly now: () => Date }
): void => {
  const asked = askedTill(till)
  const reading = (calls: boolean) => async (at: Date) =>
    asked === undefined ? undefined : readListing(asked, at, calls)
  const documents = new Shared(listingMillis, now, reading(false))
  const calls = new Shared(callsMillis, now, reading(true))
  app.get("/listing", async (context) => {
    // Another site's page, or a look at the headers, can't have each route called.
    const isOwn = context.req.header("sec-fetch-site") !== "cross-site" && !isHead(context)
    const isCalled = isOwn && context.req.query("call") === "all"
    const listing = await (isCalled ? calls : documents).read()
    return context.html(listingPage(context.get("page"), listing, isCalled))
  })
  app.get("/health", async (context) => context.html(healthPage(context.get("page"), await till.health?.())))
  app.get("/configuration", async (context) =>
    context.html(configurationPage(context.get("page"), await till.settings?.()))
  )
}
