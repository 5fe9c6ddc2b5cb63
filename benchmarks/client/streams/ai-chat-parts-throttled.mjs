import { stageChat } from './chat.mjs'

stageChat('parts', { throttle: 50 })
