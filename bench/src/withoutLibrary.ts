/*
 * Loaded first in a process whose till shall run without the C library, as where it isn't installed. The bench itself
 * still signs with it.
 */
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === "secp256k1" && context.parentURL?.includes("/bench/src/") !== true)
      throw new Error("secp256k1 is not installed here")
    return next(specifier, context)
  }
})
