/*
 * Sentences of a reply. Dropping some of them leaves the others as they were.
 */

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

/** Sentences that end in an abbreviation or a number of a list go on: `1. Foo`. */
const unfinished = /(?:^|\s)(?:\d{1,2}|No|Nr|approx|ca|z\.B|e\.g|i\.e|vs|Dr|Mr|Mrs|St|US|U\.S)\.\s*$/u

/** A parenthesis of its own, after which a sentence may go on: `(what a price!) is`. */
const closedParenthesis = /[.!?…]\)\s*$/u

/** The sentences of one line, each with the white space after it. */
const sentencesOfLine = (line: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  for (const { segment } of segmenter.segment(line)) {
    const last = sentences.at(-1)
    const goesOn = (text: string): boolean =>
      unfinished.test(text) || (closedParenthesis.test(text) && /^\p{Ll}/u.test(segment))
    if (last !== undefined && goesOn(last)) sentences[sentences.length - 1] = last + segment
    else sentences.push(segment)
  }
  return sentences
}

/** A sentence, and the line that it stands in. */
export interface Sentence {
  readonly text: string
  readonly line: number
}

export const sentencesOf = (text: string): ReadonlyArray<Sentence> =>
  text
    .split("\n")
    .flatMap((content, line) =>
      sentencesOfLine(content).flatMap((sentence) =>
        sentence.trim() === "" ? [] : [{ text: sentence, line }]
      )
    )

/** Text of sentences, in their lines. */
export const joinSentences = (sentences: ReadonlyArray<Sentence>): string => {
  let text = ""
  let line: number | undefined
  for (const sentence of sentences) {
    if (line !== undefined && sentence.line !== line) {
      text = text.trimEnd() + (sentence.line - line > 1 ? "\n\n" : "\n")
    }
    text += sentence.text
    line = sentence.line
  }
  return text.trim()
}
