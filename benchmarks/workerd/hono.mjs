import { createHonoApp } from './hono-app.mjs'

export default createHonoApp()
