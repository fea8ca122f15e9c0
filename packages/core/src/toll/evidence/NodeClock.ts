import { type Effect, Option, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { isSolana } from "../../domain/Network.ts"
import { type ClockReading, readClock } from "../../runtime/ClockReading.ts"
import { readRpcReply, rpcCall } from "../../runtime/JsonRpc.ts"

/*
 * The time as the node of a chain shows it: by its response, and by the newest block that it has.
 */

const evmBlock = Schema.decodeUnknownOption(Schema.Struct({ timestamp: Schema.String }))
/** The account in which Solana keeps its time, as nodes describe it. */
const solanaClock = Schema.decodeUnknownOption(
  Schema.Struct({
    value: Schema.Struct({
      data: Schema.Struct({
        parsed: Schema.Struct({ info: Schema.Struct({ unixTimestamp: Schema.Finite }) })
      })
    })
  })
)

const evm = {
  call: rpcCall("eth_getBlockByNumber", ["latest", false]),
  secondsOf: (result: unknown) => Option.map(evmBlock(result), ({ timestamp }) => Number(timestamp))
}
const solana = {
  call: rpcCall("getAccountInfo", [
    "SysvarC1ock11111111111111111111111111111111",
    { encoding: "jsonParsed", commitment: "confirmed" }
  ]),
  secondsOf: (result: unknown) =>
    Option.map(solanaClock(result), ({ value }) => value.data.parsed.info.unixTimestamp)
}

/** Reads the time of a network's node at `url`. */
export const readNodeClock = (
  client: HttpClient.HttpClient,
  caip2: string,
  url: string
): Effect.Effect<ClockReading | undefined> => {
  const { call, secondsOf } = isSolana(caip2) ? solana : evm
  const request = HttpClientRequest.post(url).pipe(
    HttpClientRequest.bodyText(JSON.stringify(call), "application/json")
  )
  return readClock(client, request, (text) => {
    const reply = readRpcReply(text)
    const seconds = reply._tag === "Result" ? Option.getOrUndefined(secondsOf(reply.result)) : undefined
    return Number.isFinite(seconds) ? seconds : undefined
  })
}
