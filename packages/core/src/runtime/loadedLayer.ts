import { Effect, Layer } from "effect"

/** A layer of a module that is loaded only where the layer is built. Import it by a literal name: bundlers need that. */
export const loadedLayer = <Module, Services, E, R>(
  load: () => Promise<Module>,
  layerOf: (module: Module) => Layer.Layer<Services, E, R>
): Layer.Layer<Services, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), layerOf))
