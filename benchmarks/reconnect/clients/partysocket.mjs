import ReconnectingWebSocket from 'partysocket/ws'
import { openPlain } from './plain.mjs'

export const open = openPlain(() => ReconnectingWebSocket)
