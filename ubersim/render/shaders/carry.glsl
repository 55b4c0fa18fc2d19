void carry() {
    eye = view.eye;
    forward = view.forward;
    exposure = view.exposure;
#if SHADOWS && SINGLES
    for (int i = 0; i < SINGLES; ++i) {
        shadow_from_world[i] = maps.from_world[i];
        shadow_offset[i] = maps.offset[i].x;
    }
#endif
}
