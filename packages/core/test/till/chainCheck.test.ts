import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer, Logger } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { TestClock } from "effect/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { findNetwork, tokenProgram } from "../../src/domain/Network.ts"
import { paidRouteOf } from "../../src/http/PaidRoute.ts"
import { type AnyOperation, Operations } from "../../src/operations/Operation.ts"
import { UnreadNetworks } from "../../src/http/WithdrawnNetworks.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { memory } from "../../src/stores/memory.ts"
import { watchChains } from "../../src/till/watchChains.ts"
import { Till } from "../../src/till/PlainTill.ts"
import type { ConfiguredSettings } from "../../src/till/settings/Configuration.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"
import { operationOf, settings as httpSettings } from "../http/sampleOperation.ts"
import { solanaPayTo } from "../toll/solana.ts"
import { settings } from "./hosted.ts"

/*
 * The chains that a till reads, as its nodes show them: over real sockets, by what a host reads before the first payment.
 */

type Answer = (params: ReadonlyArray<unknown>) => unknown
type Node = Readonly<Record<string, Answer>>

/** A node: its answers by method, and an HTTP status for all others. */
const startNode = async (answers: Node, status = 200): Promise<string> => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on("end", () => {
      const { id, method, params } = JSON.parse(body)
      response.statusCode = status
      response.setHeader("content-type", "application/json")
      try {
        const result = answers[method]?.(params)
        const error = { code: -32_601, message: `no ${method}` }
        response.end(
          JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) })
        )
      } catch (cause) {
        const error = { code: -32_602, message: (cause as Error).message }
        response.end(JSON.stringify({ jsonrpc: "2.0", id, error }))
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const hex = (value: number): string => `0x${value.toString(16)}`
const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`
const zeros = (bytes: number): string => `0x${"00".repeat(bytes)}`

const block = (ageSeconds: number) => ({
  number: hex(1_000),
  hash: word(1),
  parentHash: word(2),
  timestamp: hex(nowSeconds() - ageSeconds),
  transactions: [],
  difficulty: "0x0",
  gasLimit: "0x0",
  gasUsed: "0x0",
  nonce: zeros(8),
  logsBloom: zeros(256),
  size: "0x0",
  uncles: []
})

const reverts: Answer = () => {
  throw new Error("execution reverted")
}

/** A node of Base Sepolia as it should be. */
const evmNode: Node = {
  eth_chainId: () => hex(84_532),
  eth_getBlockByNumber: () => block(2),
  eth_getLogs: () => [],
  eth_getCode: () => "0x",
  eth_call: reverts
}

/** Starts a till whose network has this node: why it doesn't start, and what it reports of the chain. */
const start = async (network: object, payTo: string | object = settings.payTo) => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...settings,
    payTo: typeof payTo === "string" ? payTo : settings.payTo,
    networks: (typeof payTo === "string" ? [network] : [network, payTo]) as never,
    facilitator: fakeFacilitator(),
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: (event) => events.push(event)
  })
  onTestFinished(till.dispose)
  const refusal = await till.ready.then(
    () => undefined,
    (error: unknown) => String((error as Error).message)
  )
  const reported = events
    .filter(({ code }) => code.startsWith("chain_"))
    .map(({ code, error, message, reason }) => `${code} ${reason ?? error}: ${message}`)
  return { refusal, reported }
}

const onEvm = async (answers: Node, status?: number) =>
  start({ network: "base-sepolia", rpcUrl: await startNode({ ...evmNode, ...answers }, status) })

const sound = { refusal: undefined, reported: [] }

describe("a node of an EVM network", () => {
  it("of the right chain is taken without a word", async () => {
    expect(await onEvm({})).toEqual(sound)
  })

  it("of another chain is refused, with both", async () => {
    expect((await onEvm({ eth_chainId: () => hex(8453) })).refusal).toMatch(
      /rpcUrl of base-sepolia reads another chain: its node is on eip155:8453, and base-sepolia is eip155:84532/
    )
  })

  it("is refused with the dollar's own contract as payTo, and reported with another token's", async () => {
    const token = { ...evmNode, eth_getCode: () => "0x6080", eth_call: () => word(6) }
    const network = { network: "base-sepolia", rpcUrl: await startNode(token) }
    const { asset } = findNetwork("base-sepolia")!
    expect((await start(network, asset)).refusal).toMatch(
      /^Till402 can't start: payTo 0x\w+ of base-sepolia is a token's contract/
    )
    const { refusal, reported } = await start(network)
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([expect.stringMatching(/^chain_check_failed payTo: .* is a token's contract/)])
  })

  it("is reported where payTo is a contract on another network alone, such as a Safe", async () => {
    const answers = { ...evmNode, eth_getBlockByNumber: () => block(2) }
    const over = async (code: string) => {
      const networks = [
        {
          network: "base",
          rpcUrl: await startNode({ ...answers, eth_chainId: () => hex(8453), eth_getCode: () => "0x6080" })
        },
        {
          network: "polygon",
          rpcUrl: await startNode({ ...answers, eth_chainId: () => hex(137), eth_getCode: () => code })
        }
      ]
      return start(...(networks as [object, object]))
    }
    expect(await over("0x6080")).toEqual(sound)
    const { refusal, reported } = await over("0x")
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([
      expect.stringMatching(
        /^chain_check_failed payTo: payTo 0x\w+ is a contract on base, and nothing is there on polygon/
      )
    ])
  })

  it.each<[string, Node]>([
    ["a Safe, whose code is no token's", { eth_getCode: () => "0x6080" }],
    [
      "a wallet that delegates to code",
      { eth_getCode: () => `0xef0100${"11".repeat(20)}`, eth_call: () => word(6) }
    ],
    ["a node that doesn't say what is there", { eth_getCode: reverts, eth_chainId: reverts }]
  ])("takes %s at payTo", async (_, answers) => {
    expect(await onEvm(answers)).toEqual(sound)
  })

  it.each<[string, Node, RegExp]>([
    [
      "lags",
      { eth_getBlockByNumber: () => block(600) },
      /^chain_check_failed newest block: .* is 60\d seconds old/
    ],
    ["has no logs", { eth_getLogs: reverts }, /^chain_check_failed logs: .*refuses to list logs/]
  ])("that %s is reported, once", async (_, answers, text) => {
    const { refusal, reported } = await onEvm(answers)
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([expect.stringMatching(text)])
  })

  it("that can't be reached or asks for a key is one event with host and status", async () => {
    const closed = createServer().listen(0, "127.0.0.1")
    await once(closed, "listening")
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, "close")
    const unreached = await start({ network: "base-sepolia", rpcUrl: `http://127.0.0.1:${port}` })
    expect(unreached.refusal).toBeUndefined()
    expect(unreached.reported).toEqual([
      expect.stringContaining(`chain_unreadable ECONNREFUSED 127.0.0.1:${port}`)
    ])
    const refused = await onEvm(
      Object.fromEntries(Object.keys(evmNode).map((method) => [method, reverts])),
      401
    )
    expect(refused.refusal).toBeUndefined()
    expect(refused.reported).toEqual([
      expect.stringMatching(/^chain_unreadable .*401.*: The chain .*\(HTTP 401 /)
    ])
  })

  it("that is a website is one event with its host", async () => {
    const site = createServer((_, response) => response.end("<html>hello</html>")).listen(0, "127.0.0.1")
    await once(site, "listening")
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    const { refusal, reported } = await start({
      network: "base-sepolia",
      rpcUrl: `http://127.0.0.1:${port}/key-of-mine`
    })
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([
      expect.stringContaining(`could not be read (HttpRequestError 127.0.0.1:${port})`)
    ])
  })
})

describe("a node of Solana", () => {
  const devnetHash = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
  const account = (fields: {
    readonly owner: string
    readonly data: Uint8Array
    readonly executable?: boolean
  }) => ({
    ...fields,
    executable: fields.executable === true,
    data: [Buffer.from(fields.data).toString("base64"), "base64"]
  })
  const clock = () => {
    const data = new Uint8Array(40)
    new DataView(data.buffer).setBigInt64(32, BigInt(nowSeconds()), true)
    return account({ owner: "Sysvar1111111111111111111111111111111111111", data })
  }
  const wallet = account({ owner: "11111111111111111111111111111111", data: new Uint8Array() })
  const tokenAccount = (state: number) => {
    const data = new Uint8Array(165)
    data[108] = state
    return account({ owner: tokenProgram, data })
  }

  const onSolana = async (at: object | null, held: object | null = tokenAccount(1), hash = devnetHash) => {
    const node: Node = {
      getGenesisHash: () => hash,
      getAccountInfo: ([address]) => {
        const found = address === solanaPayTo ? at : String(address).startsWith("Sysvar") ? clock() : held
        return { context: { slot: 1 }, value: found }
      }
    }
    const rpcUrl = await startNode(node)
    return start({ network: "solana-devnet", payTo: solanaPayTo, rpcUrl }, solanaPayTo)
  }

  it("is taken with a wallet, and with the vault of a multisig, at which there is no account", async () => {
    expect(await onSolana(wallet)).toEqual(sound)
    expect(await onSolana(null)).toEqual(sound)
  })

  it("is reported with an account of a program, such as that of a multisig beside its vault", async () => {
    const owner = "SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvNSC48bf"
    const { refusal, reported } = await onSolana(account({ owner, data: new Uint8Array(300) }))
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([
      expect.stringMatching(
        /^chain_check_failed payTo: .* is an account of a program.* the multisig's vault$/
      )
    ])
  })

  it("of another cluster is refused", async () => {
    const mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
    expect((await onSolana(wallet, null, mainnet)).refusal).toMatch(
      /its node is on solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp, and solana-devnet is solana:EtWTRABZ/
    )
  })

  it.each([
    [
      "a program",
      account({
        owner: "BPFLoaderUpgradeab1e11111111111111111111111",
        data: new Uint8Array(),
        executable: true
      })
    ],
    ["a token account", tokenAccount(1)],
    ["a token's contract", account({ owner: tokenProgram, data: new Uint8Array(82) })]
  ])("that shows %s at payTo is refused", async (what, at) => {
    expect((await onSolana(at)).refusal).toContain(`of solana-devnet is ${what}: money sent there is lost`)
  })

  it.each([
    ["missing", null],
    ["frozen", tokenAccount(2)]
  ])("reports a token account that is %s", async (state, held) => {
    expect((await onSolana(wallet, held)).reported).toEqual([
      expect.stringContaining(`The token account of payTo ${solanaPayTo} on solana-devnet is ${state}`)
    ])
  })
})

describe("a chain that can't be read any more", () => {
  const base = { ...findNetwork("base")!, payTo: settings.payTo, rpcUrl: "https://rpc.example" }
  const polygon = { ...findNetwork("polygon")!, payTo: settings.payTo, rpcUrl: "https://rpc.example" }

  const endpoint = HttpApiEndpoint.get("weather", "/x402/weather")

  const fifty = { price: { _tag: "Fixed", atomic: 50_000_000n } } as const
  const withdrawn =
    "is withdrawn after three failed reads in a row, and offered again after one that succeeds"

  it.each([
    [withdrawn, operationOf(endpoint, { settlement: { proofRequired: true } }), true],
    [`${withdrawn}, for the amount alone`, operationOf(endpoint, fifty), true],
    ["is read once where no operation needs its proof", operationOf(endpoint), false],
    [
      "is read once for an operation that trusts the facilitator",
      operationOf(endpoint, { ...fifty, settlement: { proofRequired: false } }),
      false
    ]
  ])("%s", async (_, operation, isRead) => {
    const events: Array<TillEvent> = []
    const unread = new UnreadNetworks()
    let reads = 0
    const failing = new Set([2, 3, 5, 6, 7])
    const chain = {
      canRead: (caip2: string) => caip2 === base.caip2,
      balanceOf: () => Effect.sync(() => (failing.has(++reads) ? undefined : 1n))
    } as unknown as Chain["Service"]
    const seen: Array<string> = []
    const watching = watchChains(
      {
        networks: [base, polygon] as unknown as ConfiguredSettings["networks"],
        proofAbove: 1_000_000n,
        trustFacilitator: false
      },
      unread,
      Operations.use(({ all }) => all)
    )
    await Effect.gen(function* () {
      yield* (yield* Operations).add(operation)
      yield* Effect.forkScoped(watching)
      for (let look = 0; look < 9; look++) {
        yield* TestClock.adjust(look === 0 ? 0 : 30_000)
        seen.push([...unread.current].join())
      }
    }).pipe(
      Effect.scoped,
      Effect.provide([
        Layer.succeed(Chain, chain),
        Operations.layer,
        Logger.layer([eventLogger((event) => events.push(event))]),
        TestClock.layer()
      ]),
      Effect.runPromise
    )
    // Read once, since a payment is accepted only then.
    if (!isRead) return expect([reads, events]).toEqual([1, []])
    expect(seen).toEqual(["", "", "", "", "", "", base.caip2, "", ""])
    expect(events.map(({ code, network }) => `${code} ${network}`)).toEqual([`chain_withdrawn ${base.caip2}`])
  })

  it("isn't offered at all before it was read once, and is again from then on", async () => {
    const events: Array<TillEvent> = []
    const unread = new UnreadNetworks()
    let reads = 0
    const chain = {
      canRead: () => true,
      balanceOf: () => Effect.sync(() => (++reads < 5 ? undefined : 1n))
    } as unknown as Chain["Service"]
    const watching = watchChains(
      {
        networks: [base] as unknown as ConfiguredSettings["networks"],
        proofAbove: 1_000_000n,
        trustFacilitator: true
      },
      unread,
      Effect.succeed([])
    )
    const settings = {
      ...httpSettings,
      unread,
      networks: [{ ...httpSettings.networks[0]!, caip2: base.caip2 }]
    }
    const { listedOffers } = paidRouteOf(settings, operationOf(endpoint))
    const seen: Array<number> = []
    await Effect.gen(function* () {
      yield* Effect.forkScoped(watching)
      for (let look = 0; look < 8; look++) {
        yield* TestClock.adjust(look === 0 ? 0 : 30_000)
        seen.push(listedOffers().length)
      }
    }).pipe(
      Effect.scoped,
      Effect.provide([
        Layer.succeed(Chain, chain),
        Operations.layer,
        Logger.layer([eventLogger((event) => events.push(event))]),
        TestClock.layer()
      ]),
      Effect.runPromise
    )
    expect(seen).toEqual([1, 1, 0, 0, 1, 1, 1, 1])
    expect(reads).toBe(5)
    expect(events).toMatchObject([
      {
        code: "chain_withdrawn",
        message: expect.stringContaining("nothing is offered there until it is read")
      }
    ])
  })

  it("isn't offered for the large prices of an operation that computes them", () => {
    const unread = new UnreadNetworks()
    unread.replace(new Set(["eip155:84532"]))
    const quoted = (atomic: bigint) => ({ atomic, description: "", extra: {} })
    const price = {
      _tag: "Computed",
      of: () => Effect.die("no price is expected"),
      indicative: quoted(10_000n),
      minAtomic: 10_000n,
      maxAtomic: 5_000_000n
    } as const
    const settings = { ...httpSettings, trustFacilitator: false, unread }
    const { offersOf } = paidRouteOf(settings, operationOf(endpoint, { price }))
    expect([1_000_000n, 1_000_001n].map((atomic) => offersOf(quoted(atomic)).length)).toEqual([1, 0])
  })

  it("isn't offered for what needs its proof, and for all else", () => {
    const unread = new UnreadNetworks()
    const http = { ...httpSettings, trustFacilitator: false, unread }
    const accepts = (operation: AnyOperation, trustFacilitator = false) => {
      const route = paidRouteOf({ ...http, trustFacilitator }, operation)
      return () => (JSON.parse(route.unpaid("").body) as { accepts: ReadonlyArray<unknown> }).accepts.length
    }
    const proven = operationOf(endpoint, { settlement: { proofRequired: true } })
    const first = operationOf(endpoint, { settlement: { beforeWork: true } })
    const large = operationOf(endpoint, fifty)
    const offers = [
      ...[proven, first, large].map((operation) => accepts(operation)),
      ...[
        operationOf(endpoint),
        operationOf(endpoint, { ...fifty, settlement: { proofRequired: false } })
      ].map((operation) => accepts(operation)),
      accepts(proven, true),
      accepts(large, true)
    ]
    const counts = () => offers.map((count) => count())
    expect(counts()).toEqual([1, 1, 1, 1, 1, 1, 1])
    unread.replace(new Set(["eip155:84532"]))
    expect(counts()).toEqual([0, 0, 0, 1, 1, 1, 1])
    // A payment that settled there has a price all the same.
    const owed = paidRouteOf(http, first).allOffersOf({ atomic: 10_000n, description: "", extra: {} })
    expect(owed.map(({ requirements }) => requirements.network)).toEqual(["eip155:84532"])
    unread.replace(new Set())
    expect(counts()).toEqual([1, 1, 1, 1, 1, 1, 1])
  })
})
