import type { Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/**
 * The same schema, to be decoded by generated code: a third of the time. Where code can't be generated (a
 * worker of Cloudflare, `--disallow-code-generation-from-strings`) it is interpreted, with the same results.
 * Before its decoders are made; on the hot path alone.
 */
export const compiled = <S extends Schema.Top>(schema: S): S => {
  SchemaJITCompiler.enable(schema.ast)
  return schema
}
