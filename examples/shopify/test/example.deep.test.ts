import { assert, describe, it } from "vitest"
import { runExample } from "../../express/test/exampleProcess.ts"

describe("the example's program", () => {
  it("names the missing variables", async () => {
    const main = new URL("../src/main.ts", import.meta.url)
    const { code, output } = await runExample(main, { BASE_URL: "https://shop.example" })
    assert.strictEqual(code, 1)
    assert.match(
      output,
      /^Set these in the environment first: REFUND_KEY, OPERATOR_TOKEN, SHOPIFY_ADMIN_SHOP/
    )
  })
})
