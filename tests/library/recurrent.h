/* Made by recurrent.py; do not edit. */
static const char *const head =
     "import \"nn\"\n"
     "import \"optim\"\n"
     "fn v(dims, k) {\n"
     "  n = 1\n"
     "  for d in dims { n = n * d }\n"
     "  return f32(reshape((iota([n]) * 7 + k * 3) % 11 - 4, dims)) / 4\n"
     "}\n";
static const struct test tests[] = {
    {"rnn reverse=false",
     "layer_ = rnn(3, 2, reverse=false)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){0.933828043223, 0.734071519604, 0.999419226714, -0.775266840651, 0.951094319349, -0.94205752979, 0.844160167625, -0.969629323349, 0.915824544169, -0.933828043223, -0.206366070777, 0.89240824011, 0.81351214333, 0.972627158777, 0.879269773691, 0.87080502761}}}},
    {"gru reverse=false",
     "layer_ = gru(3, 2, reverse=false)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  layer_.c <- v(shape(layer_.c), 4)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){0.092891520872, -0.113404907703, 0.652819631989, -0.682077639483, 0.144378560882, -0.820043855543, -0.345695315847, -0.900249918644, -0.293298213598, -0.563743409162, 0.506905253215, -0.793164826811, 0.661116245007, -0.401030711621, 0.678661968766, 0.080354457082}}}},
    {"lstm reverse=false",
     "layer_ = lstm(3, 2, reverse=false)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){-0.489439368719, -0.184518957689, 0.165592441116, -0.354353361323, 0.378684950368, -0.257196727984, 0.383877226583, -0.160483202965, 0.076743336168, -0.036786400218, 0.233153676039, -0.411615777867, 0.300199001508, -0.462487041145, 0.3430419648, -0.30219086645}}}},
    {"rnn reverse=true",
     "layer_ = rnn(3, 2, reverse=true)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){0.781153787998, 0.228187075048, 0.962314359927, -0.896266794384, 0.934450217281, -0.942739795097, 0.959335293315, -0.879826699652, 0.996997463941, -0.958981458869, 0.971786934896, 0.961262337564, 0.81237565337, 0.973813863429, -0.244918662404, 0.905148253645}}}},
    {"gru reverse=true",
     "layer_ = gru(3, 2, reverse=true)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  layer_.c <- v(shape(layer_.c), 4)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){-0.59693654467, -0.919820172241, 0.455053765112, -0.921062456588, 0.215503310016, -0.82845976327, 0.131352608738, -0.602843672468, -0.096565071122, -0.523198689895, 0.68960993048, -0.154498013846, 0.565615042522, -0.173753918481, 0.360467157879, -0.189460577688}}}},
    {"lstm reverse=true",
     "layer_ = lstm(3, 2, reverse=true)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 16, (const double[]){-0.179664603133, -0.087951931527, 0.44184613841, -0.007771347176, 0.404451576227, -0.049482681268, 0.270234229743, -0.044485347407, 0.250619271498, -0.303232628782, 0.271363869963, -0.643039356186, 0.327099037493, -0.421736823631, 0.326730124213, -0.219423477808}}}},
    {"lstm last from a state",
     "layer_ = lstm(3, 2, last=true)\n"
     "entry f() {\n"
     "  layer_.w <- v(shape(layer_.w), 1)\n"
     "  layer_.u <- v(shape(layer_.u), 2)\n"
     "  layer_.b <- v(shape(layer_.b), 3)\n"
     "  x = v([2, 4, 3], 5)\n"
     "  return y = layer_(x, [v([2, 2], 7), v([2, 2], 8)])\n"
     "}\n",
     1,
     {{"y", 4, (const double[]){0.301678220367, 0.221380704892, 0.327766631611, -0.324100615886}}}},
    {"lstm begins with forgetting nothing",
     "layer_ = lstm(3, 2)\n"
     "entry f() { return y = layer_.b + 0 }\n",
     1,
     {{"y", 8, (const double[]){0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0}}}},
    {"rotary",
     "entry f() {\n"
     "  x = v([2, 4, 3, 6], 5)\n"
     "  return y = rotary(x)\n"
     "}\n",
     1,
     {{"y", 144, (const double[]){0.0, -1.0, 0.75, -0.25, 1.5, 0.5, -0.5, 1.25, 0.25, -0.75, 1.0, 0.0, -1.0, 0.75, -0.25, 1.5, 0.5, -0.5, -0.166093102473, 0.24973074401, -0.747843826381, 1.592141036878, 0.011599805866, -1.001613503974, -0.015508763003, -0.226531132278, 1.497303477531, 0.90125439154, -0.511061293886, 1.253228748543, 0.135075576467, -0.702793008566, 0.998381854439, 0.210367746202, -1.033722393639, 0.752152692428, 0.55868542255, 1.377668210212, 0.498918144407, -0.019250938433, 1.383665531323, 0.252152107233, 1.221407554236, 0.92617034854, 0.001077214012, -0.265826233572, 0.839469168872, -0.249997679209, -1.760842038353, 0.474672486867, -0.496763716383, 0.843762594555, 0.29527280642, -0.752147465651, -1.095832502645, 0.03469952527, -1.009674001528, -0.60137436439, -0.247580174784, 1.493505410314, -0.530276250315, -0.391061773758, 1.243510632084, -0.17693812012, -0.812139574892, 1.008058186761, 0.035280002015, -1.198517850756, 0.746752705157, 0.24749812415, 1.346682947623, 0.504837000764, -0.5, 1.25, 0.25, -0.75, 1.0, 0.0, -1.0, 0.75, -0.25, 1.5, 0.5, -0.5, 1.25, 0.25, -0.75, 1.0, 0.0, -1.0, -0.015508763003, -0.226531132278, 1.497303477531, 0.90125439154, -0.511061293886, 1.253228748543, 0.135075576467, -0.702793008566, 0.998381854439, 0.210367746202, -1.033722393639, 0.752152692428, 0.285659915937, 1.44038543473, 0.499460231347, -0.480518899136, 1.318252555248, 0.251076636313, 1.221407554236, 0.92617034854, 0.001077214012, -0.265826233572, 0.839469168872, -0.249997679209, -1.760842038353, 0.474672486867, -0.496763716383, 0.843762594555, 0.29527280642, -0.752147465651, -1.098119906666, 0.023174625195, -1.006454000907, 0.597187299415, -0.248923556031, 1.495677219208, -0.530276250315, -0.391061773758, 1.243510632084, -0.17693812012, -0.812139574892, 1.008058186761, 0.035280002015, -1.198517850756, 0.746752705157, 0.24749812415, 1.346682947623, 0.504837000764, 0.600836254345, 1.09910277284, 0.249994778231, 0.67193436842, 1.163818325486, 0.001615814768}}}},
    {"rotary from a position known while running",
     "layer counter() { state t: i64[] = 30 }\n"
     "at = counter()\n"
     "entry f() {\n"
     "  at.t <- at.t + 7\n"
     "  x = v([1, 4, 6], 5)\n"
     "  return y = rotary(x, first=at.t), z = rotary(x, first=37)\n"
     "}\n",
     2,
     {{"y", 24, (const double[]){-0.160884533339, -1.337844944659, 0.707803541523, -0.191353512986, -1.208375315889, 0.558134523755, -0.255260387992, -1.221195996915, 0.249162661058, -0.86448952239, 1.034978423504, 0.020444273883, -1.712336011786, -0.663594271624, -0.207155975582, -0.563830987744, 0.610034952005, -0.519217104669, -1.578785737545, -0.070490676659, -0.661146009285, 0.264453388947, 0.239856341388, -1.06084209683}},
      {"z", 24, (const double[]){-0.160884533339, -1.337844944659, 0.707803541523, -0.191353512986, -1.208375315889, 0.558134523755, -0.255260387992, -1.221195996915, 0.249162661058, -0.86448952239, 1.034978423504, 0.020444273883, -1.712336011786, -0.663594271624, -0.207155975582, -0.563830987744, 0.610034952005, -0.519217104669, -1.578785737545, -0.070490676659, -0.661146009285, 0.264453388947, 0.239856341388, -1.06084209683}}}},
    {"multi_head_attention",
     "layer_ = multi_head_attention(6, 2, each=4, causal=true, rotates=true)\n"
     "entry f() {\n"
     "  layer_.q <- v(shape(layer_.q), 1)\n"
     "  layer_.k <- v(shape(layer_.k), 2)\n"
     "  layer_.v <- v(shape(layer_.v), 3)\n"
     "  layer_.out <- v(shape(layer_.out), 4)\n"
     "  layer_.q_bias <- v(shape(layer_.q_bias), 5)\n"
     "  layer_.k_bias <- v(shape(layer_.k_bias), 6)\n"
     "  layer_.v_bias <- v(shape(layer_.v_bias), 7)\n"
     "  layer_.out_bias <- v(shape(layer_.out_bias), 8)\n"
     "  x = v([2, 4, 6], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 48, (const double[]){8.9375, -1.828125, -0.90625, 3.96875, 3.171875, -1.0625, 4.244066231311, 0.256666128053, 4.032481011427, -1.533239476893, 3.949861867121, 0.05112431345, 2.570667667856, 0.679835049981, -0.205551042278, 1.552334079873, 2.995765313199, -2.027198204844, -1.979326488982, 1.701202959825, 3.625163229676, -4.090005792535, 5.083036140068, -2.546825123084, 4.421875, -0.265625, 2.78125, 10.984375, 3.203125, -2.515625, 2.305150880896, 0.871515617257, 2.831717401065, 6.803230592276, 1.165562505198, -1.037028857271, 1.859471369489, 2.165578002637, 2.789821629528, 7.692831908062, 4.86391046997, -2.759702806648, -0.414875900011, 0.834823943754, 3.041179387691, 2.670019476595, 2.599785405137, -0.16300657624}}}},
    {"grouped queries",
     "layer_ = multi_head_attention(6, 6, kv_heads=2, each=2)\n"
     "entry f() {\n"
     "  layer_.q <- v(shape(layer_.q), 1)\n"
     "  layer_.k <- v(shape(layer_.k), 2)\n"
     "  layer_.v <- v(shape(layer_.v), 3)\n"
     "  layer_.out <- v(shape(layer_.out), 4)\n"
     "  layer_.q_bias <- v(shape(layer_.q_bias), 5)\n"
     "  layer_.k_bias <- v(shape(layer_.k_bias), 6)\n"
     "  layer_.v_bias <- v(shape(layer_.v_bias), 7)\n"
     "  layer_.out_bias <- v(shape(layer_.out_bias), 8)\n"
     "  x = v([2, 4, 6], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 48, (const double[]){7.090034319424, 3.504420512839, -2.652717732797, 1.167069430841, 0.027408858182, -2.810492599622, 1.333303766573, 5.984670250367, -1.558875538085, -4.898983839122, 6.29067398547, -5.991327689144, 2.796364945614, 4.912837707578, -0.429311577164, -4.125213832373, 4.588616846616, -4.654547299048, 5.292823841374, 2.492864343093, 1.724297486334, -1.946241159637, 2.978016614264, 2.05030065509, 2.233038388436, 0.756097933994, 3.821339752245, -4.316073334144, 7.470107758358, 6.114938480693, 2.265391084363, 0.418224079113, 3.984206316025, -3.971205328148, 7.264053524594, 5.332280975366, 5.507913702428, 3.039956585161, -1.606213620247, 0.927835725476, 3.883471146201, 4.640684410555, 6.427501358384, 1.729294960283, -2.064961431036, 2.419930278488, 2.81605922902, 4.072558381122}}}},
    {"attention to a context",
     "layer_ = multi_head_attention(6, 2, kv_heads=1, context_width=3)\n"
     "entry f() {\n"
     "  layer_.q <- v(shape(layer_.q), 1)\n"
     "  layer_.k <- v(shape(layer_.k), 2)\n"
     "  layer_.v <- v(shape(layer_.v), 3)\n"
     "  layer_.out <- v(shape(layer_.out), 4)\n"
     "  layer_.q_bias <- v(shape(layer_.q_bias), 5)\n"
     "  layer_.k_bias <- v(shape(layer_.k_bias), 6)\n"
     "  layer_.v_bias <- v(shape(layer_.v_bias), 7)\n"
     "  layer_.out_bias <- v(shape(layer_.out_bias), 8)\n"
     "  x = v([2, 4, 6], 5)\n"
     "  return y = layer_(x, context=v([2, 5, 3], 9), mask=(iota([4, 5]) + iota([4, 5], axis=1)) % 3 != 1)\n"
     "}\n",
     1,
     {{"y", 48, (const double[]){-1.683835956839, 2.045002823708, 4.487362079691, -3.095528882703, 1.492684897844, 0.280174894887, -2.68118548693, 3.851418415804, 3.191331142186, -4.04070878459, 3.351270118143, -0.821513891608, 0.014860481913, 1.459946888055, 2.608136626798, -1.315687420354, 0.988773985788, 1.816581286445, 0.104957273724, 1.429117121785, 3.14223804733, -1.441296333612, 0.742238514449, 2.338089488396, -1.121546679555, -1.141625767228, 4.97801878563, -1.628241898206, 0.903422906536, -2.668094526845, -0.049517110307, -1.025746591327, 4.614223629076, -1.329461520412, 0.406095793533, 0.574540846536, -0.948157832065, 1.093624820024, 2.896376071388, -2.180492009982, 1.75133187342, -0.277405100941, -2.0949018072, 1.02765915807, 4.026883720117, -2.607004231645, 2.0075907811, -3.620909962398}}}},
    {"sequential hands on what is given by name",
     "at = multi_head_attention(6, 2, kv_heads=1, context_width=3)\n"
     "many = sequential([at, dropout_layer(0.5), relu])\n"
     "entry f() {\n"
     "  at.q <- v(shape(at.q), 1)\n"
     "  at.k <- v(shape(at.k), 2)\n"
     "  at.v <- v(shape(at.v), 3)\n"
     "  at.out <- v(shape(at.out), 4)\n"
     "  at.q_bias <- v(shape(at.q_bias), 5)\n"
     "  at.k_bias <- v(shape(at.k_bias), 6)\n"
     "  at.v_bias <- v(shape(at.v_bias), 7)\n"
     "  at.out_bias <- v(shape(at.out_bias), 8)\n"
     "  x = v([2, 4, 6], 5)\n"
     "  return y = many(x, train=false, mask=(iota([4, 5]) + iota([4, 5], axis=1)) % 3 != 1, context=v([2, 5, 3], 9))\n"
     "}\n",
     1,
     {{"y", 48, (const double[]){0.0, 2.045002823708, 4.487362079691, 0.0, 1.492684897844, 0.280174894887, 0.0, 3.851418415804, 3.191331142186, 0.0, 3.351270118143, 0.0, 0.014860481913, 1.459946888055, 2.608136626798, 0.0, 0.988773985788, 1.816581286445, 0.104957273724, 1.429117121785, 3.14223804733, 0.0, 0.742238514449, 2.338089488396, 0.0, 0.0, 4.97801878563, 0.0, 0.903422906536, 0.0, 0.0, 0.0, 4.614223629076, 0.0, 0.406095793533, 0.574540846536, 0.0, 1.093624820024, 2.896376071388, 0.0, 1.75133187342, 0.0, 0.0, 1.02765915807, 4.026883720117, 0.0, 2.0075907811, 0.0}}}},
    {"instance_norm",
     "layer_ = instance_norm(4)\n"
     "entry f() {\n"
     "  layer_.scale <- v(shape(layer_.scale), 1)\n"
     "  layer_.shift <- v(shape(layer_.shift), 2)\n"
     "  x = v([2, 3, 5, 4], 5)\n"
     "  return y = layer_(x)\n"
     "}\n",
     1,
     {{"y", 120, (const double[]){0.571235450173, -2.656233154494, 1.582102651773, 0.624997070347, 0.113293270488, 0.156244873107, 0.751846022341, -0.31249560552, 0.494911753559, -2.187486816561, 1.748153977659, 0.468748291036, 0.87653023663, 0.62499121104, 0.917897348227, -0.468744384831, 0.418588056945, -1.718740478627, 1.914205303546, 0.312499511724, 0.800206540016, 1.093737548974, 1.083948674114, 1.09374340828, 0.342264360331, -1.249994140694, 2.080256629432, 0.156250732413, 0.723882843402, 1.562483886908, 1.25, 0.937494628969, 0.265940663716, -0.78124780276, 0.419743370568, 1.953102e-06, 0.647559146787, 2.031230224841, 1.416051325886, 0.781245849658, 0.189616967102, -0.312501464827, 0.585794696454, -0.156246826209, 0.571235450173, -2.656233154494, 1.582102651773, 0.624997070347, 0.113293270488, 0.156244873107, 0.751846022341, -0.31249560552, 0.494911753559, -2.187486816561, 1.748153977659, 0.468748291036, 0.87653023663, 0.62499121104, 0.917897348227, -0.468744384831, 0.395950259543, -1.997616827826, 1.802312588985, 0.165028832464, 0.806672919242, 0.870160076521, 1.005707893333, 0.961633528116, 0.313805727603, -1.519654010434, 1.961633528116, 0.005707893333, 0.724528387302, 1.348122893912, 1.165028832464, 0.802312588985, 0.231661195663, -1.041691193043, 0.368424136812, -0.153613045797, 0.642383855362, 1.826085711304, 1.324349771594, 0.642991649855, 0.149516663724, -0.563728375652, 0.527745075942, -0.312933984927, 0.560239323423, -2.953542462608, 1.483670710725, 0.483670710725, 0.067372131784, -0.085765558261, 0.687066015073, -0.472254924058, 0.478094791483, -2.475579645217, 1.642991649855, 0.324349771594, 0.888817451182, 0.39219725913, 0.846386954203, -0.631575863188, 0.395950259543, -1.997616827826, 1.802312588985, 0.165028832464, 0.806672919242, 0.870160076521, 1.005707893333, 0.961633528116, 0.313805727603, -1.519654010434, 1.961633528116, 0.005707893333, 0.724528387302, 1.348122893912, 1.165028832464, 0.802312588985}}}},
    {"layers in f16",
     "fn fixed(shape = declared.shape, dtype = declared.dtype) { return cast(v(shape, 3), dtype) }\n"
     "fn far(a, b, type) {\n"
     "  if dtype(b) != type { error(\"another type\") }\n"
     "  return f32(max(abs(a - f32(b))) > 0.02 * max(1, max(abs(a))))\n"
     "}\n"
     "dense_a = dense(4, 4, w_init=fixed)\n"
     "dense_b = dense(4, 4, w_init=fixed, type=f16)\n"
     "layer_norm_a = layer_norm(4)\n"
     "layer_norm_b = layer_norm(4, type=f16)\n"
     "batch_norm_a = batch_norm(4)\n"
     "batch_norm_b = batch_norm(4, type=f16)\n"
     "rms_norm_a = rms_norm(4)\n"
     "rms_norm_b = rms_norm(4, type=f16)\n"
     "group_norm_a = group_norm(4, 2)\n"
     "group_norm_b = group_norm(4, 2, type=f16)\n"
     "instance_norm_a = instance_norm(4)\n"
     "instance_norm_b = instance_norm(4, type=f16)\n"
     "prelu_a = prelu(4)\n"
     "prelu_b = prelu(4, type=f16)\n"
     "conv_layer_a = conv_layer(4, 4, [3], w_init=fixed)\n"
     "conv_layer_b = conv_layer(4, 4, [3], w_init=fixed, type=f16)\n"
     "conv_transpose_layer_a = conv_transpose_layer(4, 4, [3], w_init=fixed)\n"
     "conv_transpose_layer_b = conv_transpose_layer(4, 4, [3], w_init=fixed, type=f16)\n"
     "lstm_a = lstm(4, 4, w_init=fixed, u_init=fixed)\n"
     "lstm_b = lstm(4, 4, w_init=fixed, u_init=fixed, type=f16)\n"
     "gru_a = gru(4, 4, w_init=fixed, u_init=fixed)\n"
     "gru_b = gru(4, 4, w_init=fixed, u_init=fixed, type=f16)\n"
     "rnn_a = rnn(4, 4, w_init=fixed, u_init=fixed)\n"
     "rnn_b = rnn(4, 4, w_init=fixed, u_init=fixed, type=f16)\n"
     "self_attention_a = self_attention(4, 2, stddev=0)\n"
     "self_attention_b = self_attention(4, 2, stddev=0, type=f16)\n"
     "multi_head_attention_a = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed)\n"
     "multi_head_attention_b = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed, type=f16)\n"
     "table = embedding(5, 4, type=f16)\n"
     "entry f() {\n"
     "  x = v([2, 6, 4], 5)\n"
     "  return y = stack([far(dense_a(x), dense_b(f16(x)), f16), far(layer_norm_a(x), layer_norm_b(f16(x)), f16), far(batch_norm_a(x), batch_norm_b(f16(x)), f16), far(rms_norm_a(x), rms_norm_b(f16(x)), f16), far(group_norm_a(x), group_norm_b(f16(x)), f16), far(instance_norm_a(x), instance_norm_b(f16(x)), f16), far(prelu_a(x), prelu_b(f16(x)), f16), far(conv_layer_a(x), conv_layer_b(f16(x)), f16), far(conv_transpose_layer_a(x), conv_transpose_layer_b(f16(x)), f16), far(lstm_a(x), lstm_b(f16(x)), f16), far(gru_a(x), gru_b(f16(x)), f16), far(rnn_a(x), rnn_b(f16(x)), f16), far(self_attention_a(x), self_attention_b(f16(x)), f16), far(multi_head_attention_a(x), multi_head_attention_b(f16(x)), f16)]), t = f32(sum(abs(table(iota(5) % 5))) < 0)\n"
     "}\n",
     2,
     {{"y", 14, (const double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
      {"t", 1, (const double[]){0.0}}}},
    {"layers in bf16",
     "fn fixed(shape = declared.shape, dtype = declared.dtype) { return cast(v(shape, 3), dtype) }\n"
     "fn far(a, b, type) {\n"
     "  if dtype(b) != type { error(\"another type\") }\n"
     "  return f32(max(abs(a - f32(b))) > 0.1 * max(1, max(abs(a))))\n"
     "}\n"
     "dense_a = dense(4, 4, w_init=fixed)\n"
     "dense_b = dense(4, 4, w_init=fixed, type=bf16)\n"
     "layer_norm_a = layer_norm(4)\n"
     "layer_norm_b = layer_norm(4, type=bf16)\n"
     "batch_norm_a = batch_norm(4)\n"
     "batch_norm_b = batch_norm(4, type=bf16)\n"
     "rms_norm_a = rms_norm(4)\n"
     "rms_norm_b = rms_norm(4, type=bf16)\n"
     "group_norm_a = group_norm(4, 2)\n"
     "group_norm_b = group_norm(4, 2, type=bf16)\n"
     "instance_norm_a = instance_norm(4)\n"
     "instance_norm_b = instance_norm(4, type=bf16)\n"
     "prelu_a = prelu(4)\n"
     "prelu_b = prelu(4, type=bf16)\n"
     "conv_layer_a = conv_layer(4, 4, [3], w_init=fixed)\n"
     "conv_layer_b = conv_layer(4, 4, [3], w_init=fixed, type=bf16)\n"
     "conv_transpose_layer_a = conv_transpose_layer(4, 4, [3], w_init=fixed)\n"
     "conv_transpose_layer_b = conv_transpose_layer(4, 4, [3], w_init=fixed, type=bf16)\n"
     "lstm_a = lstm(4, 4, w_init=fixed, u_init=fixed)\n"
     "lstm_b = lstm(4, 4, w_init=fixed, u_init=fixed, type=bf16)\n"
     "gru_a = gru(4, 4, w_init=fixed, u_init=fixed)\n"
     "gru_b = gru(4, 4, w_init=fixed, u_init=fixed, type=bf16)\n"
     "rnn_a = rnn(4, 4, w_init=fixed, u_init=fixed)\n"
     "rnn_b = rnn(4, 4, w_init=fixed, u_init=fixed, type=bf16)\n"
     "self_attention_a = self_attention(4, 2, stddev=0)\n"
     "self_attention_b = self_attention(4, 2, stddev=0, type=bf16)\n"
     "multi_head_attention_a = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed)\n"
     "multi_head_attention_b = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed, type=bf16)\n"
     "table = embedding(5, 4, type=bf16)\n"
     "entry f() {\n"
     "  x = v([2, 6, 4], 5)\n"
     "  return y = stack([far(dense_a(x), dense_b(bf16(x)), bf16), far(layer_norm_a(x), layer_norm_b(bf16(x)), bf16), far(batch_norm_a(x), batch_norm_b(bf16(x)), bf16), far(rms_norm_a(x), rms_norm_b(bf16(x)), bf16), far(group_norm_a(x), group_norm_b(bf16(x)), bf16), far(instance_norm_a(x), instance_norm_b(bf16(x)), bf16), far(prelu_a(x), prelu_b(bf16(x)), bf16), far(conv_layer_a(x), conv_layer_b(bf16(x)), bf16), far(conv_transpose_layer_a(x), conv_transpose_layer_b(bf16(x)), bf16), far(lstm_a(x), lstm_b(bf16(x)), bf16), far(gru_a(x), gru_b(bf16(x)), bf16), far(rnn_a(x), rnn_b(bf16(x)), bf16), far(self_attention_a(x), self_attention_b(bf16(x)), bf16), far(multi_head_attention_a(x), multi_head_attention_b(bf16(x)), bf16)]), t = f32(sum(abs(table(iota(5) % 5))) < 0)\n"
     "}\n",
     2,
     {{"y", 14, (const double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
      {"t", 1, (const double[]){0.0}}}},
    {"layers in f64",
     "fn fixed(shape = declared.shape, dtype = declared.dtype) { return cast(v(shape, 3), dtype) }\n"
     "fn far(a, b, type) {\n"
     "  if dtype(b) != type { error(\"another type\") }\n"
     "  return f32(max(abs(a - f32(b))) > 1e-05 * max(1, max(abs(a))))\n"
     "}\n"
     "dense_a = dense(4, 4, w_init=fixed)\n"
     "dense_b = dense(4, 4, w_init=fixed, type=f64)\n"
     "layer_norm_a = layer_norm(4)\n"
     "layer_norm_b = layer_norm(4, type=f64)\n"
     "batch_norm_a = batch_norm(4)\n"
     "batch_norm_b = batch_norm(4, type=f64)\n"
     "rms_norm_a = rms_norm(4)\n"
     "rms_norm_b = rms_norm(4, type=f64)\n"
     "group_norm_a = group_norm(4, 2)\n"
     "group_norm_b = group_norm(4, 2, type=f64)\n"
     "instance_norm_a = instance_norm(4)\n"
     "instance_norm_b = instance_norm(4, type=f64)\n"
     "prelu_a = prelu(4)\n"
     "prelu_b = prelu(4, type=f64)\n"
     "conv_layer_a = conv_layer(4, 4, [3], w_init=fixed)\n"
     "conv_layer_b = conv_layer(4, 4, [3], w_init=fixed, type=f64)\n"
     "conv_transpose_layer_a = conv_transpose_layer(4, 4, [3], w_init=fixed)\n"
     "conv_transpose_layer_b = conv_transpose_layer(4, 4, [3], w_init=fixed, type=f64)\n"
     "lstm_a = lstm(4, 4, w_init=fixed, u_init=fixed)\n"
     "lstm_b = lstm(4, 4, w_init=fixed, u_init=fixed, type=f64)\n"
     "gru_a = gru(4, 4, w_init=fixed, u_init=fixed)\n"
     "gru_b = gru(4, 4, w_init=fixed, u_init=fixed, type=f64)\n"
     "rnn_a = rnn(4, 4, w_init=fixed, u_init=fixed)\n"
     "rnn_b = rnn(4, 4, w_init=fixed, u_init=fixed, type=f64)\n"
     "self_attention_a = self_attention(4, 2, stddev=0)\n"
     "self_attention_b = self_attention(4, 2, stddev=0, type=f64)\n"
     "multi_head_attention_a = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed)\n"
     "multi_head_attention_b = multi_head_attention(4, 2, causal=true, rotates=true, init=fixed, type=f64)\n"
     "table = embedding(5, 4, type=f64)\n"
     "entry f() {\n"
     "  x = v([2, 6, 4], 5)\n"
     "  return y = stack([far(dense_a(x), dense_b(f64(x)), f64), far(layer_norm_a(x), layer_norm_b(f64(x)), f64), far(batch_norm_a(x), batch_norm_b(f64(x)), f64), far(rms_norm_a(x), rms_norm_b(f64(x)), f64), far(group_norm_a(x), group_norm_b(f64(x)), f64), far(instance_norm_a(x), instance_norm_b(f64(x)), f64), far(prelu_a(x), prelu_b(f64(x)), f64), far(conv_layer_a(x), conv_layer_b(f64(x)), f64), far(conv_transpose_layer_a(x), conv_transpose_layer_b(f64(x)), f64), far(lstm_a(x), lstm_b(f64(x)), f64), far(gru_a(x), gru_b(f64(x)), f64), far(rnn_a(x), rnn_b(f64(x)), f64), far(self_attention_a(x), self_attention_b(f64(x)), f64), far(multi_head_attention_a(x), multi_head_attention_b(f64(x)), f64)]), t = f32(sum(abs(table(iota(5) % 5))) < 0)\n"
     "}\n",
     2,
     {{"y", 14, (const double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
      {"t", 1, (const double[]){0.0}}}},
    {"focal",
     "entry f() {\n"
     "  x = v([6, 4], 1)\n"
     "  t = v([6, 4], 2)\n"
     "  return y = focal(x, f32(t > 0))\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){0.235274520669}}}},
    {"focal without weights",
     "entry f() {\n"
     "  x = v([6, 4], 1)\n"
     "  t = v([6, 4], 2)\n"
     "  return y = focal(x, f32(t > 0), gamma=3, alpha=none)\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){0.271696535512}}}},
    {"triplet",
     "entry f() {\n"
     "  x = v([6, 4], 1)\n"
     "  t = v([6, 4], 2)\n"
     "  return y = triplet(x, t, v([6, 4], 3), margin=0.5)\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){0.357369893018}}}},
    {"contrastive",
     "entry f() {\n"
     "  x = v([6, 4], 1)\n"
     "  t = v([6, 4], 2)\n"
     "  return y = contrastive(x, t, f32(iota(6) % 2), margin=4)\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){5.900821990554}}}},
    {"ctc",
     "entry f() {\n"
     "  x = v([2, 5, 3], 1)\n"
     "  return y = ctc(x, reshape(array([1, 2, 1, 1]), [2, 2]))\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){3.189308534668}}}},
    {"ctc of lengths",
     "entry f() {\n"
     "  x = v([2, 5, 3], 1)\n"
     "  return y = ctc(x, array([[1, 0, 1], [0, 1, 0]]), input_length=array([5, 4]), label_length=array([3, 2]), blank=2)\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){2.306511394384}}}},
    {"ctc of nothing",
     "entry f() {\n"
     "  x = v([2, 5, 3], 1)\n"
     "  return y = ctc(x, array([[1], [2]]), label_length=array([0, 1]))\n"
     "}\n",
     1,
     {{"y", 1, (const double[]){5.191536647997}}}},
    {"lamb",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = lamb(model)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.252537064867, 1.500231761939, 0.498643362974, -0.501941162715, 1.251413229479, 0.249501815436, -0.752400455846, 1.002332785612, -0.002968455135, -1.000868026048, 0.747905305186, -0.252537064867}}}},
    {"adafactor of a matrix",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = adafactor(model)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.269645328289, 1.488815866973, 0.495071357579, -0.509571866901, 1.247002180644, 0.251093466727, -0.769775955652, 1.006284697559, -0.013847103594, -1.010075500345, 0.742382682269, -0.25616680195}}}},
    {"adafactor of a stack",
     "layer net() { param w: f32[2, 4, 3] = 0 }\n"
     "model = net()\n"
     "opt = adafactor(model)\n"
     "entry f() {\n"
     "  model.w <- v([2, 4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([2, 4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 24, (const double[]){-0.271019728896, 1.488035020107, 0.494735467359, -0.510245462926, 1.246792307184, 0.251178081152, -0.771157493527, 1.006721999871, -0.014817098913, -1.010781648748, 0.741859719168, -0.256602110677, 1.488140884087, 0.494503491273, -0.513156313199, 1.24800919882, 0.250942665148, -0.776966381648, 1.006121948432, -0.014161515555, -1.011396146419, 0.741851644143, -0.255727202235, 1.498438979026}}}},
    {"adafactor of a vector",
     "layer net() { param w: f32[5] = 0 }\n"
     "model = net()\n"
     "opt = adafactor(model)\n"
     "entry f() {\n"
     "  model.w <- v([5], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([5], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 5, (const double[]){-0.263663102353, 1.490393139713, 0.497748877155, -0.511240292556, 1.24833270432}}}},
    {"clipped_by_norm",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = clipped_by_norm(sgd(model, lr=0.1), model, 1.5)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.299435646506, 1.461795246243, 0.470160225662, -0.510449280023, 1.250781612726, 0.259146592146, -0.866177486725, 1.03976797921, -0.08842201299, -1.077191120241, 0.681173859178, -0.299435646506}}}},
    {"clipped_by_value",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = clipped_by_value(sgd(model, lr=0.1), model, 0.6)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.3, 1.465, 0.5, -0.525, 1.25, 0.275, -0.87, 1.035, -0.07, -1.085, 0.715, -0.3}}}},
    {"decoupled_decay",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = decoupled_decay(sgd(model, lr=0.1), model, 0.02)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.330818, 1.335308, 0.424046, -0.492606, 1.17352, 0.262258, -0.929394, 1.011732, -0.16903, -1.091182, 0.585834, -0.330818}}}},
    {"wrapped twice",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = decoupled_decay(clipped_by_value(sgd(model, lr=0.1), model, 0.6), model, 0.02)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.minimize(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  x = model.w + 0\n"
     "  return y = x\n"
     "}\n",
     1,
     {{"y", 12, (const double[]){-0.282118, 1.375308, 0.471772, -0.493406, 1.174114, 0.261474, -0.824694, 0.973316, -0.066424, -1.026182, 0.67227, -0.282118}}}},
    {"accumulated",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "opt = accumulated(sgd(model, lr=0.1), model, 3)\n"
     "entry f() {\n"
     "  model.w <- v([4, 3], 1)\n"
     "  for t in 1..4 { opt.add(sum(v([4, 3], t + 1) * model.w)) }\n"
     "  opt.step()\n"
     "  x = model.w + 0\n"
     "  return y = x, left = sum(abs(opt.total[model.w]))\n"
     "}\n",
     2,
     {{"y", 12, (const double[]){-0.283333333333, 1.475, 0.483333333333, -0.508333333333, 1.25, 0.258333333333, -0.825, 1.025, -0.058333333333, -1.05, 0.708333333333, -0.283333333333}},
      {"left", 1, (const double[]){0.0}}}},
    {"ema",
     "layer net() { param w: f32[4, 3] = 0 }\n"
     "model = net()\n"
     "average = ema(model, keeps=0.9)\n"
     "entry f() {\n"
     "  for t in 1..4 {\n"
     "    model.w <- v([4, 3], t)\n"
     "    average.update()\n"
     "  }\n"
     "  average.swap()\n"
     "  x = model.w + 0\n"
     "  average.swap()\n"
     "  return y = x, back = model.w + 0\n"
     "}\n",
     2,
     {{"y", 12, (const double[]){-0.0325, 1.195, 0.4425, -0.2825, 0.945, 0.1925, -0.5325, 0.695, 0.2175, -0.7825, 0.6925, -0.0325}},
      {"back", 12, (const double[]){1.25, 0.25, -0.75, 1.0, 0.0, -1.0, 0.75, -0.25, 1.5, 0.5, -0.5, 1.25}}}},
};
