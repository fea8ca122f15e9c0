import { Effect, Layer } from "effect"
import { StoreError } from "../domain/Errors.ts"
import * as Charges from "./Charges.ts"
import { migrate } from "./migrations.ts"
import * as Orders from "./Orders.ts"
import * as Quotes from "./Quotes.ts"
import * as VaultItems from "./VaultItems.ts"
import * as VaultPurchases from "./VaultPurchases.ts"

/** All stores over one database, whose schema is migrated first. */
export const layerSql = Layer.mergeAll(
  Charges.layer,
  Quotes.layer,
  Orders.layer,
  VaultItems.layer,
  VaultPurchases.layer
).pipe(
  Layer.provideMerge(
    Layer.effectDiscard(
      migrate.pipe(
        Effect.asVoid,
        Effect.mapError((cause) => new StoreError({ operation: "migrate", cause }))
      )
    )
  )
)
