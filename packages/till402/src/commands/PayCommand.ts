import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { Money, readBytes } from "@till402/core/effect"
import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import type { Paid } from "../pay/pay.ts"
import { readUrl } from "../pay/url.ts"
import { harmless, jsonLine, withoutControls } from "../terminal/wrap.ts"
import { json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const readHeader = (text: string): [string, string] => {
  const colon = text.indexOf(":")
  if (colon < 1) throw new WrongUsage(`--header must be "Name: value": got ${text}`)
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

const readHeaders = (given: ReadonlyArray<string>, hasBody: boolean): Headers => {
  try {
    const headers = new Headers(given.map(readHeader))
    if (hasBody && !headers.has("content-type")) headers.set("content-type", "application/json")
    return headers
  } catch (error) {
    if (error instanceof WrongUsage) throw error
    throw new WrongUsage(`--header: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const readMax = (text: string): bigint => {
  const atomic = Money.parseAtomic(text)
  if (atomic === undefined || atomic <= 0n)
    throw new WrongUsage(`--max must be US dollars above 0, such as 1.00: got ${text}`)
  return atomic
}

const readAddress = (name: string, text: string): string => {
  if (URL.canParse(text)) return text
  throw new WrongUsage(`${name} must be an address such as http://127.0.0.1:8545: got ${text}`)
}

const isText = (response: Response): boolean =>
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/.test(response.headers.get("content-type") ?? "")

/** What `--json` prints. Amounts are decimal text, in dollars. */
const summary = ({ payment, response }: Paid, body: unknown) => ({
  status: response.status,
  ...(payment === undefined
    ? { paid: false }
    : {
        paid: payment.isSent,
        amount: Money.formatAtomic(payment.offer.amountAtomic ?? 0n),
        network: payment.offer.networkName,
        payTo: payment.offer.requirements.payTo,
        wallet: payment.address,
        transaction: payment.transaction ?? null,
        balance: payment.balanceAtomic === undefined ? null : Money.formatAtomic(payment.balanceAtomic)
      }),
  body
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What is shown is kept in memory; what is saved is not. */
const maxShownBytes = 64 * 1_048_576
const maxSavedBytes = 8 * 1_073_741_824

/** Writes a body to a file; returns its bytes. */
const save = async (response: Response, file: string): Promise<number> => {
  let size = 0
  const bounded = async function* () {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.byteLength
      if (size > maxSavedBytes) throw new Error(`it has more than ${maxSavedBytes} bytes`)
      yield piece
    }
  }
  await pipeline(bounded, createWriteStream(file))
  return size
}

const readShown = async ({ body }: Response): Promise<Uint8Array> => {
  const bytes = body === null ? new Uint8Array() : await readBytes(body, maxShownBytes)
  if (bytes === undefined)
    throw new Error(`it has more than ${maxShownBytes} bytes: --output FILE saves them`)
  return bytes
}

const show = async (
  paid: Paid,
  {
    asJson,
    file,
    surroundings
  }: { readonly asJson: boolean; readonly file: string | undefined; readonly surroundings: Surroundings }
): Promise<void> => {
  const { output } = surroundings
  const { response } = paid
  if (file !== undefined) {
    const size = await save(response, file)
    if (asJson) output.print(jsonLine(summary(paid, file)))
    else output.note(`saved     ${size} bytes in ${file}`)
    return
  }
  const bytes = await readShown(response)
  const text = isText(response) ? new TextDecoder().decode(bytes) : undefined
  const kept = `${bytes.length} bytes of ${harmless(response.headers.get("content-type") ?? "no type")}`
  if (asJson) output.print(jsonLine(summary(paid, text === undefined ? kept : parsed(text))))
  else if (text !== undefined) {
    const shown = text.replace(/\n$/, "")
    output.print(output.isTerminal ? withoutControls(shown) : shown)
  }
  // Bytes may set a terminal to anything.
  else if (output.isTerminal) output.note(`received  ${kept}: --output FILE saves them`)
  else output.write(bytes)
}

const config = {
  url: Argument.String("URL").pipe(Argument.withDescription("What is called")),
  body: Flag.String("data").pipe(
    Flag.withAlias("d"),
    Flag.withMetavar("BODY"),
    Flag.withDescription("Body, as JSON; makes it a POST"),
    Flag.optional
  ),
  method: Flag.String("request").pipe(
    Flag.withAlias("X"),
    Flag.withMetavar("METHOD"),
    Flag.withDescription("Method, such as GET"),
    Flag.optional
  ),
  headers: Flag.String("header").pipe(
    Flag.withAlias("H"),
    Flag.withMetavar("HEADER"),
    Flag.withDescription('"Name: value"; may be repeated'),
    Flag.atLeast(0)
  ),
  max: Flag.String("max").pipe(
    Flag.withMetavar("DOLLARS"),
    Flag.withDescription("Highest price that is paid"),
    Flag.withDefault("1.00")
  ),
  file: Flag.String("output").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("FILE"),
    Flag.withDescription("Where the response is saved"),
    Flag.optional
  ),
  keyFile: Flag.String("key-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Private key of the wallet (else PRIVATE_KEY)"),
    Flag.optional
  ),
  sandbox: Flag.String("sandbox").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription("Sandbox whose wallet pays on this machine"),
    Flag.withDefault("http://127.0.0.1:4021")
  ),
  rpc: Flag.String("rpc").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription("Node that shows the balance"),
    Flag.optional
  ),
  tokens: Flag.String("token").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription("Another dollar of six decimals to pay with"),
    Flag.atLeast(0)
  ),
  payment: Flag.String("payment").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Keeps the payment; if it is there, sends it again"),
    Flag.optional
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Shows the price, and pays nothing"),
    Flag.withDefault(false)
  ),
  json
}

export const payCommand = (surroundings: Surroundings) =>
  Command.make("pay", config, (input) =>
    work(async (now) => {
      const url = readUrl(input.url)
      const body = Option.getOrUndefined(input.body)
      const method = Option.getOrElse(input.method, () => (body === undefined ? "GET" : "POST")).toUpperCase()
      if (body !== undefined && (method === "GET" || method === "HEAD"))
        throw new WrongUsage(`${method} has no body: leave out --data, or give another --request`)
      const rpcUrl = Option.getOrUndefined(Option.map(input.rpc, (text) => readAddress("--rpc", text)))
      const sandbox = readAddress("--sandbox", input.sandbox)
      const file = Option.getOrUndefined(input.file)
      const headers = readHeaders(input.headers, body !== undefined)
      const maxAtomic = readMax(input.max)
      const keyFile = Option.getOrUndefined(input.keyFile)
      // Clients and signatures are loaded only where something is paid.
      const { chooseWallets } = await import("../pay/Wallet.ts")
      const { pay } = await import("../pay/pay.ts")
      const paid = await pay(
        {
          url,
          init: { method, headers, body },
          maxAtomic,
          tokens: input.tokens,
          wallets: () =>
            chooseWallets({ keyFile, privateKey: surroundings.environment["PRIVATE_KEY"], sandbox, url }),
          dryRun: input.dryRun,
          rpcUrl,
          paymentFile: Option.getOrUndefined(input.payment),
          now,
          sleep: surroundings.sleep
        },
        surroundings.output
      )
      if (paid.payment?.isSent === false) {
        if (input.json) surroundings.output.print(jsonLine(summary(paid, null)))
        return 0
      }
      await show(paid, { asJson: input.json, file, surroundings }).catch(async (error: unknown) => {
        const again = await paid.payment?.again?.()
        throw new CommandFailed(
          `the response can't be ${file === undefined ? "shown" : "saved"}: ${wordsOf(error)}${again === undefined ? "" : `. Don't pay again; ${again}`}`
        )
      })
      return paid.response.ok ? 0 : 1
    })
  ).pipe(
    Command.withDescription("Calls a URL and pays for it, like curl with a wallet"),
    Command.withExamples([
      {
        command: "till402 pay 'localhost:3000/x402/search?q=desk'",
        description: "Pays from the sandbox's wallet"
      },
      { command: 'till402 pay shop.example/x402/shop -d \'{"message":"a desk"}\' --max 0.10' }
    ])
  )
