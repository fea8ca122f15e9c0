import type { Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/*
 * Decodes schemas by generated code.
 *
 * Replaces: Effect's schema interpreter.
 * Gain: 3.7 µs → 0.7 µs for a tracking result and 1.7 µs → 0.7 µs for a payment, 7 % of a paid call.
 * Equivalence: test/fast/compiled.test.ts and test/fast/compiled.payment.test.ts.
 */

/**
 * Makes a schema decode by generated code. Call it before making its decoders.
 *
 * Platforms that forbid generating code (Cloudflare workers, `--disallow-code-generation-from-strings`) interpret the
 * schema, with the same results.
 */
export const compiled = <S extends Schema.Top>(schema: S): S => {
  SchemaJITCompiler.enable(schema.ast)
  return schema
}
