import { assert, describe, it } from "vitest"
import * as documents from "../../src/shopify-admin/Documents.ts"
import { execute, operationFaults } from "./schema.ts"

describe("Shopify's published schema", () => {
  it.each(Object.entries(documents))("has every field of %s, and none is deprecated", (_name, { text }) => {
    assert.deepStrictEqual(operationFaults(text), [])
  })

  it("disagrees with a misspelled field, argument or type, and with a deprecated one", () => {
    assert.match(
      operationFaults(documents.getDraft.text.replace("totalTaxSet", "totalTaxesSet")).join(),
      /^Cannot query field "totalTaxesSet" on type "DraftOrder"/
    )
    assert.strictEqual(operationFaults(documents.getOrder.text.replace("first: 50", "limit: 50")).length, 1)
    assert.strictEqual(
      operationFaults(documents.createDraft.text.replace("DraftOrderInput", "OrderInput")).length,
      1
    )
    assert.match(operationFaults("query { order(id: 1) { totalPrice } }").join(), /totalPrice is deprecated/)
  })

  it("disagrees with variables that have another field than its input", async () => {
    const result = await execute(
      documents.createDraft.text,
      { input: { lineItems: [], shipping_address: {} } },
      { draftOrderCreate: () => ({ draftOrder: null, userErrors: [] }) }
    )
    assert.match(JSON.stringify(result), /unknown field \\"shipping_address\\"/i)
  })

  it.each<[string, object, RegExp]>([
    [
      "that is misspelled",
      { draftOrder: { ID: "gid://shopify/DraftOrder/1" } },
      /DraftOrder.ID: no such field/
    ],
    ["that is missing", { draftOrder: { id: "gid://shopify/DraftOrder/1" } }, /DraftOrder.status: missing/],
    [
      "of another type",
      { draftOrder: { id: "gid://shopify/DraftOrder/1", status: "DONE" } },
      /DraftOrderStatus/
    ],
    ["of another format", { draftOrder: { id: "1" } }, /DraftOrder.id: not a ID/]
  ])("disagrees with a fake's field %s", async (_what, { draftOrder }: { draftOrder?: object }, fault) => {
    const result = await execute(documents.getDraft.text, { id: "1" }, { draftOrder: () => draftOrder })
    assert.match(JSON.stringify(result), fault)
  })
})
