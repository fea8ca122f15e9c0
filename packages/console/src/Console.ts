import type { Caller, IncomingRequest, PlainResponse } from "@till402/core"
import { closestName, openDoorCheck, withoutUnsetKeys } from "@till402/core/effect"
import { Hono } from "hono"
import {
  type Access,
  cookieOf,
  isForged,
  newToken,
  tokenOf,
  type Visitor,
  visitorOf,
  wrongAccess
} from "./Access.ts"
import { type ActionEntry, ActionLog, toStandardError } from "./ActionLog.ts"
import { type Action, actionOf, outcomeOf } from "./Actions.ts"
import { script } from "./assets/script.ts"
import { icon, style } from "./assets/style.ts"
import { type ConsoleApp, type ConsoleContext, type Env, isHead } from "./ConsoleApp.ts"
import type { ConsoleSource } from "./ConsoleSource.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { LiveStreams } from "./liveStream.ts"
import { actionsPage, confirmPage, donePage } from "./pages/acting.ts"
import { paidText } from "./pages/charges.ts"
import { facts, type Html, notFoundPage, sectionNames } from "./pages/layout.ts"
import { callPage, livePage, type TryOut } from "./pages/live.ts"
import { chartDays, todayPage } from "./pages/overview.ts"
import { orderFacts } from "./pages/orders.ts"
import { searchPage } from "./pages/searching.ts"
import { recordRoutes } from "./recordRoutes.ts"
import { search } from "./search.ts"
import { dayOf } from "./text.ts"
import { tillRoutes } from "./tillRoutes.ts"

/** Options of `tillConsole`. */
export interface ConsoleOptions {
  /** A till, or `Till.books`. */
  readonly till: ConsoleSource
  /**
   * Decides about each request: `"admin"` also acts, `"read"` only looks, `undefined` has no access. Give the visitor's
   * name, too, and the log has it: `{ role: "admin", name: "ada" }`. A `Response`, such as a redirect to your login, is
   * sent as it is. On Node, only path and query of the request's URL count. Headers and cookies whose key is missing,
   * `undefined` or `null` are left out. Once, it is asked about a request without headers, then about a made-up word as
   * Authorization, and you are warned if that is admitted. There is no default: the pages show what was sold to whom.
   */
  readonly authorize: (request: Request) => Access | Promise<Access>
  /**
   * Path of the console, as browsers see it: `"/operators"`.
   *
   * @default "/till402"
   */
  readonly path?: `/${string}`
  /** Receives each action with who, what and when, before its page is shown. Default: a line of JSON on standard error. */
  readonly onAction?: (entry: ActionEntry) => void | Promise<void>
  /** Calls that an admin can have made by a button, above the live calls. For demonstrations. */
  readonly tryOuts?: ReadonlyArray<TryOut>
  /** The time. Default: that of the machine. */
  readonly now?: () => Date
}

/** A console, which every adapter mounts like a till: `app.use(till402(console))`. */
export interface Console {
  readonly handle: (request: IncomingRequest, caller?: Caller) => Promise<PlainResponse | Response>
  readonly fetch: (request: Request) => Promise<Response>
  /** Whether a path is one of the console's. */
  readonly handles: (pathname: string) => boolean
  /** Ends its open live pages. The till stays open. */
  readonly dispose: () => void
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cache-control": "no-store",
  // A form needs the origin of its page; other sites get nothing.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

const dayMillis = 86_400_000
const maxFormBytes = 8 * 1024

/** Stands for the console's origin, which a path never names. */
const anyOrigin = "http://console.invalid"

/** A path within the console, as a browser will read it, so that a link can lead nowhere else. */
const backOf = (base: string, given: unknown): string => {
  const url = typeof given === "string" ? URL.parse(given, anyOrigin) : null
  if (url === null || url.origin !== anyOrigin) return `${base}/`
  const path = url.pathname + url.search
  // A path that begins with two slashes names another host again.
  return path.startsWith(`${base}/`) && !path.startsWith("//") ? path : `${base}/`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

interface Parts {
  readonly options: ConsoleOptions
  readonly base: string
  readonly calls: LiveCalls
  readonly now: () => Date
  readonly streams: LiveStreams
  readonly log: ActionLog
}

/** Asks the host who the visitor is, and gives every page what it depends on. */
const admit = (app: ConsoleApp, { base, now, options }: Parts): void => {
  let hasExplained = false
  const checkDoor = openDoorCheck(options.authorize, (access) =>
    access instanceof Response ? undefined : visitorOf(access)?.role
  )
  app.use(async (context, next) => {
    void checkDoor(new URL(`${base}/`, context.req.url), "GET")
    const access = await options.authorize(context.req.raw)
    if (access instanceof Response) return access
    const visitor = visitorOf(access)
    if (visitor === undefined) {
      const wrong = wrongAccess(access)
      // Once: the host's function returns the same for each request.
      if (wrong !== undefined && !hasExplained)
        console.error(JSON.stringify({ till402: "access", message: wrong }))
      hasExplained ||= wrong !== undefined
      return context.text("You have no access to this console.", 403, securityHeaders)
    }
    const { pathname, search } = new URL(context.req.url)
    const known = tokenOf(context.req.raw)
    const token = known ?? newToken()
    context.set("page", { base, visitor, token, now: now(), here: pathname + search })
    await next()
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value)
    if (known === undefined)
      context.res.headers.append("set-cookie", cookieOf(token, base === "" ? "/" : base))
  })
}

const assetRoutes = (app: ConsoleApp): void => {
  const asset = (path: string, type: string, text: string): void => {
    app.get(`/assets/${path}`, (context) => context.body(text, 200, { "content-type": type }))
  }
  asset("console.css", "text/css; charset=utf-8", style)
  asset("console.js", "text/javascript; charset=utf-8", script)
  asset("icon.svg", "image/svg+xml", icon)
}

const liveRoutes = (app: ConsoleApp, { calls, options, streams }: Parts): void => {
  const { till, tryOuts = [] } = options
  const isLive = till.payments !== undefined
  app.get("/", async (context) => {
    const charges = await till.charges.list({ limit: 50 })
    return context.html(
      livePage(context.get("page"), { calls: calls.latest, counts: calls.counts, charges, isLive, tryOuts })
    )
  })
  app.get("/call/events", (context) => {
    // Another site's page must not take the places of open pages.
    if (context.req.header("sec-fetch-site") === "cross-site")
      return context.text("Not from another site.", 403)
    if (isHead(context)) return context.body(null, 200, { "content-type": "text/event-stream" })
    const viewer = { visitor: context.get("page").visitor, token: tokenOf(context.req.raw) }
    const stream = streams.start(viewer, context.req.header("last-event-id"))
    return stream ?? context.text("Too many live pages are open.", 503)
  })
  app.get("/call/:id", async (context) => {
    const call = calls.find(context.req.param("id"))
    if (call === undefined) return context.notFound()
    const charge = call.chargeKey === undefined ? undefined : await till.charges.find(call.chargeKey)
    return context.html(callPage(context.get("page"), { call, charge }))
  })
  app.get("/today", async (context) => {
    const page = context.get("page")
    const midnight = new Date(dayOf(page.now)).getTime()
    const from = new Date(midnight - (chartDays - 1) * dayMillis)
    const sums = await till.ledger.totals({ from, to: new Date(midnight + dayMillis) })
    return context.html(todayPage(page, { sums, counts: calls.counts, isLive }))
  })
  app.get("/search", async (context) => {
    const text = (context.req.query("q") ?? "").trim().slice(0, 200)
    return context.html(searchPage(context.get("page"), text, await search(till, text)))
  })
}

/** Runs an action, and logs what it came to, also where it failed. */
const act = async (
  { log, now, options }: Parts,
  { role, name: who = role }: Visitor,
  name: string,
  form: Readonly<Record<string, unknown>>
): Promise<ActionEntry> => {
  const action = actionOf(name)!
  const subject = action.subject === undefined ? undefined : textOf(form["subject"])
  const given = Object.fromEntries(action.fields.map((field) => [field.name, textOf(form[field.name])]))
  const outcome = await outcomeOf(action, options.till, subject ?? "", given)
  const entry: ActionEntry = { at: now(), who, action: name, subject, given, outcome }
  await log.add(entry)
  return entry
}

/** What an action is about, with the money that may move; nothing for what doesn't exist, as the action itself says. */
const factsOf = async (till: ConsoleSource, action: Action, subject: string): Promise<Html | string> => {
  if (action.subject === undefined) return ""
  if (action.subject === "charge") {
    const charge = await till.charges.find(subject)
    return charge === undefined ? "" : facts([["Paid", paidText(charge)]])
  }
  const order = await till.orders.find(subject)
  return order === undefined ? "" : orderFacts(order, await till.charges.find(order.chargeKey))
}

const actionRoutes = (app: ConsoleApp, parts: Parts): void => {
  const { base, log, options } = parts
  app.get("/actions", (context) =>
    context.html(actionsPage(context.get("page"), log.latest, options.till.reconcile !== undefined))
  )
  app.get("/act", async (context) => {
    const name = context.req.query("action") ?? ""
    const action = actionOf(name)
    const page = context.get("page")
    if (action === undefined) return context.notFound()
    if (page.visitor.role !== "admin") return context.text("Your access is read-only.", 403)
    const subject = context.req.query("subject") ?? ""
    return context.html(
      confirmPage(page, {
        action,
        name,
        subject,
        subjectFacts: await factsOf(options.till, action, subject),
        back: backOf(base, context.req.query("back"))
      })
    )
  })
  app.post("/act", async (context) => {
    const page = context.get("page")
    const form = await ownForm(context)
    if (form instanceof Response) return form
    if (actionOf(form["action"]) === undefined) return context.notFound()
    const entry = await act(parts, page.visitor, String(form["action"]), form)
    return context.html(donePage(page, entry, backOf(base, form["back"])))
  })
  app.post("/try/:index", async (context) => {
    const form = await ownForm(context)
    if (form instanceof Response) return form
    const tryOut = options.tryOuts?.[Number(context.req.param("index"))]
    if (tryOut === undefined) return context.notFound()
    await tryOut.run()
    return context.redirect(`${base}/`, 303)
  })
}

/** The form of an admin, sent from the console's own page; otherwise the response that refuses it. */
const ownForm = async (context: ConsoleContext): Promise<Response | Readonly<Record<string, unknown>>> => {
  if (context.get("page").visitor.role !== "admin") return context.text("Your access is read-only.", 403)
  const length = Number(context.req.header("content-length") ?? Number.NaN)
  if (!(length <= maxFormBytes)) return context.text("The form is too long.", 413)
  const form = await context.req.parseBody()
  return isForged(context.req.raw, form["token"])
    ? context.text("This request didn't come from the console's page. Load the page again, and retry.", 403)
    : form
}

const optionNames: Readonly<Record<keyof ConsoleOptions, true>> = {
  till: true,
  authorize: true,
  path: true,
  onAction: true,
  tryOuts: true,
  now: true
}

/** Hosts without type checks may leave options out, or misspell them: a console is never open by mistake. */
const checkOptions = (options: ConsoleOptions): void => {
  const names = Object.keys(optionNames)
  for (const name of Object.keys(options ?? {})) {
    if (names.includes(name)) continue
    const meant = closestName(name, names)
    const cure = meant === undefined ? `; it has ${names.join(", ")}` : `: did you mean ${meant}?`
    throw new TypeError(`tillConsole has no option ${name}${cure}`)
  }
  const { authorize, now, onAction, path = "/till402", till } = options ?? {}
  if (typeof authorize !== "function")
    throw new TypeError("tillConsole needs authorize, which decides who may see it: there is no default")
  if (typeof till?.charges?.list !== "function")
    throw new TypeError("tillConsole needs till: what Till.make or Till.books returns")
  for (const [name, given] of Object.entries({ now, onAction }))
    if (given !== undefined && typeof given !== "function") throw new TypeError(`${name} must be a function`)
  if (!isString(path) || !/^\/(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/.test(path))
    throw new TypeError('path must be like "/operators", without a slash at its end')
  const taken = [path, ...sectionNames.map((name) => `${path === "/" ? "" : path}/${name}`)].find(
    (each) => till.handles?.(each) === true
  )
  if (taken !== undefined)
    throw new TypeError(
      `path can't be ${path}: the till itself has ${taken}. Choose one such as "/operators"`
    )
}

const systemTime = (): Date => new Date()

const isString = (value: unknown): value is string => typeof value === "string"

/** Reads the till's payments until it closes. */
const follow = async ({ payments }: ConsoleSource, calls: LiveCalls): Promise<void> => {
  if (payments === undefined) return
  for await (const event of payments()) calls.add(event)
}

/**
 * Makes the operators' console of a till: pages of its calls and payments, orders, refunds and ledger, and what an
 * operator can decide. It has no query of its own: what it shows, the till's calls return.
 *
 * @throws TypeError if there is no `till` or no `authorize`, for an option that it doesn't have, and for a `path` that is the
 *   till's own
 *
 * @example
 * const ops = tillConsole({
 *   till,
 *   path: "/operators",
 *   authorize: (request) => (request.headers.get("x-staff") === "ada" ? "admin" : undefined)
 * })
 * const respond = (request: Request) => ops.fetch(request)
 */
export const tillConsole = (options: ConsoleOptions): Console => {
  checkOptions(options)
  const { now = systemTime, onAction = toStandardError, path = "/till402", till } = options
  const base = path === "/" ? "" : path
  const calls = new LiveCalls()
  const parts: Parts = {
    options,
    base,
    calls,
    now,
    streams: new LiveStreams(calls, base, now),
    log: new ActionLog(onAction)
  }
  const app: ConsoleApp = new Hono<Env>({ strict: false }).basePath(base === "" ? "/" : base) as ConsoleApp
  // The host's own handling of errors.
  app.onError((error) => {
    throw error
  })
  app.notFound((context) =>
    // Without a page, it was never this console's: a host sent another path.
    context.get("page") === undefined
      ? context.text("404 Not Found", 404)
      : context.html(notFoundPage(context.get("page")), 404)
  )
  admit(app, parts)
  assetRoutes(app)
  liveRoutes(app, parts)
  recordRoutes(app, { till, calls, now })
  tillRoutes(app, { till, now })
  actionRoutes(app, parts)
  void follow(till, calls).finally(() => parts.streams.close())
  const fetch = async (request: Request): Promise<Response> => app.fetch(withoutUnsetKeys(request).request)
  return {
    fetch,
    handle: (request) => fetch(request.toRequest()),
    handles: (pathname) => {
      if (pathname === path || (base !== "" && pathname === base)) return true
      if (!pathname.startsWith(`${base}/`)) return false
      return sectionNames.includes(pathname.slice(base.length + 1).split("/")[0]!)
    },
    dispose: () => parts.streams.close()
  }
}
