import { stageChat } from './chat.mjs'

stageChat('text', { throttle: 50 })
