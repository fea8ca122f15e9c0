import type { ExampleSettings } from "../../express/test/runningExample.ts"

export const effectSettings: ExampleSettings = {
  names: {
    BASE_URL: "TILL_BASE_URL",
    PAY_TO: "TILL_PAY_TO",
    RPC_URL: "TILL_RPC_URL_BASE_SEPOLIA",
    FACILITATOR_URL: "TILL_FACILITATOR_URL"
  },
  more: { TILL_NETWORKS: "base-sepolia" },
  missing: ["TILL_PAY_TO", "TILL_SECRET"],
  missingTexts: (variables) => variables,
  baseUrl: "TILL_BASE_URL"
}
