import { describe, expect, it } from "vitest"
import { listLanguageOf } from "../../../src/assistant/reply/Languages.ts"

describe("the language of a short message", () => {
  it.each([
    ["Hola, ¿qué tal?", "es"],
    ["Hola", "es"],
    ["Ciao!", "it"],
    ["Avete scarpe da trekking impermeabili da uomo numero 44?", "it"],
    ["Cerco una lampada da scrivania", "it"],
    ["Quero uma mochila escolar para menina de 8 anos", "pt"],
    ["Olá", "pt"],
    ["Bonjour", "fr"],
    ["Hallo!", "de"],
    ["Hello there", "en"],
    ["Where is my order?", "en"],
    ["你好", "zh-Hans"],
    ["Tak for hjælpen", "en"],
    // Words that one of the listed languages has, too.
    ["Jag söker en tyst mekanisk klaviatur", "en"],
    ["Jeg leter etter en stille ryggsekk på tur", "en"],
    ["Szukam cichej klawiatury do biura", "en"],
    ["Caut o tastatură silențioasă pentru birou", "en"]
  ])("%s is %s", (text, language) => {
    expect(listLanguageOf(text)).toBe(language)
  })
})
