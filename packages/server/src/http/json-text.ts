/**
 * A result that is JSON already, of a handler without an output schema. It is sent as it is.
 * @example createRouter().on('GET /api/report', async () => new JsonText(await readFile('report.json', 'utf8')))
 */
export class JsonText {
  /** The JSON, which is not checked. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}
